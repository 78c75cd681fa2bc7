package server

import "github.com/quorate/quorate/orchestrator/console"

// handleConsole serves the console's files. The console uses the REST API like any other client.
func (s *Server) handleConsole() error {
	handlers, err := console.Handlers()
	if err != nil {
		return err
	}
	for pattern, h := range handlers {
		s.rpc.Handle(pattern, h)
	}
	return nil
}

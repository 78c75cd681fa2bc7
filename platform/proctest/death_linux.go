package proctest

import "syscall"

// withParent has a process killed when the thread that started it ends.
func withParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

package browser

import (
	"os/exec"
	"strconv"
	"syscall"
)

// bound starts Chromium with bounded memory, and has it killed with this process. It starts other processes before anybody could bound
// them from outside, and has no bound of its own for the buffers of a page. Limits are inherited, so a shell sets them first.
func bound(cmd *exec.Cmd) {
	cmd.Args = append([]string{"sh", "-c", `ulimit -d "$0" && exec "$@"`, strconv.Itoa(maxMemory >> 10), cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

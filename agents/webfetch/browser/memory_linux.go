package browser

import (
	"os/exec"
	"strconv"
	"syscall"
)

// bound makes Chromium start with bounded memory, and end with this process. It starts further processes before they could be bounded from outside,
// and does not bound the buffers of a page itself. Limits are inherited, so a shell sets them first.
func bound(cmd *exec.Cmd) {
	cmd.Args = append([]string{"sh", "-c", `ulimit -d "$0" && exec "$@"`, strconv.Itoa(maxMemory >> 10), cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

package proctest

import "syscall"

// withParent makes the kernel kill a process when the thread that started it ends.
func withParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

package browser

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// bound makes Chromium start with bounded memory and a process group of its own, and end with this process. It starts further processes before they
// could be bounded from outside, and does not bound the buffers of a page itself. Limits are inherited, so a shell sets them first.
func bound(cmd *exec.Cmd) {
	cmd.Args = append([]string{"sh", "-c", `ulimit -d "$0" && exec "$@"`, strconv.Itoa(maxMemory >> 10), cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// endGroup ends the processes that Chromium, which has ended, has left. The first process of a container inherits them, and must wait for them, or they
// stay as zombies.
func endGroup(cmd *exec.Cmd) {
	if cmd == nil || cmd.Process == nil {
		return
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // there may be none
	for {
		if _, err := syscall.Wait4(-cmd.Process.Pid, nil, 0, nil); err != nil && !errors.Is(err, syscall.EINTR) {
			break // there are no more, or another process inherits them
		}
	}
	reapSessions()
}

// reapSessions waits for the inherited zombies that have left the group: Chromium's crash handlers, which end after it, and so may wait for the next
// page. They are known by their session, since this process starts none in a session of its own.
func reapSessions() {
	session, _, _ := syscall.RawSyscall(syscall.SYS_GETSID, 0, 0, 0)
	paths, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, path := range paths {
		stat, _ := os.ReadFile(path) // it may have ended
		_, rest, _ := strings.Cut(string(stat), ") ")
		var state string
		var parent, group, its int
		if _, err := fmt.Sscan(rest, &state, &parent, &group, &its); err != nil || state != "Z" || parent != os.Getpid() || its == int(session) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
	}
}

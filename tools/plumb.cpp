// SPDX-License-Identifier: MIT
// plumb: connects a command's standard input and output to files, pipes or sockets, runs it, accounts for it.
//
// With nothing left to do after the command's end it becomes the command, as the shell's `exec` would. Otherwise it
// runs it and waits; what it does meanwhile is in usage.h, process.h, pipes.h and ends.h, and the way out in account.h.
// libc only and small: a child's peak memory begins with that of its forker.
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plumbing/account.h"
#include "plumbing/clock.h"
#include "plumbing/ends.h"
#include "plumbing/process.h"
#include "plumbing/settings.h"
#include "tool.h"
#include "plumbing/usage.h"

// What the command is to find as plumb found it.
static struct sigaction inherited_pipe_signal;
static bool was_closed[3];  // descriptors 0 to 2

// Descriptors 0 to 2 that are closed would be given to plumb's own files. The command finds them closed again.
static void fill_standard_descriptors(void) {
  for (int fd = 0; fd < 3; fd++) {
    was_closed[fd] = fcntl(fd, F_GETFD) < 0;
    if (was_closed[fd] && open("/dev/null", O_RDWR) != fd)
      account_fail(PLUMB_FAILED, "open /dev/null: %s", strerror(errno));
  }
}

// The group's own file takes "0" for the process that writes. One write of one byte, which usage_end is told of.
enum { CGROUP_WRITES = 1, CGROUP_BYTES = 1 };

static bool enter_cgroup(const char *directory) {
  char path[4096];
  int fd, error;
  bool entered;
  if (snprintf(path, sizeof path, "%s/cgroup.procs", directory) >= (int)sizeof path) {
    errno = ENAMETOOLONG;
    return false;
  }
  fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  entered = write(fd, "0", CGROUP_BYTES) == CGROUP_BYTES;
  error = errno;
  close(fd);
  errno = error;
  return entered;
}

// The steps of a child on its way to being the command, as the messages name them.
static const char *const step_cgroup = "enter the cgroup";
static const char *const step_connect = "connect";
static const char *const step_close = "close the other descriptors of";
static const char *const step_user = "give up its user for";
static const char *const step_run = "run";

// Groups first: who is no longer root may not change them. The kernel forgets what is to end with its parent.
static bool become_user(const struct settings *settings) {
  int at_parents_end = 0;
  const gid_t group = settings->user_group;
  return prctl(PR_GET_PDEATHSIG, &at_parents_end) == 0 && setgroups(1, &group) == 0 && setgid(group) == 0 &&
         setuid(settings->user) == 0 && prctl(PR_SET_PDEATHSIG, at_parents_end) == 0;
}

// Only comes back when a step failed: which one, and why in errno.
static const char *become(const struct settings *settings, int in, int out, int errors) {
  if (settings->cgroup && !enter_cgroup(settings->cgroup)) return step_cgroup;
  if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0)
    return step_connect;
  if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) return step_close;
  if (in == STDIN_FILENO && was_closed[0]) close(STDIN_FILENO);
  if (out == STDOUT_FILENO && was_closed[1]) close(STDOUT_FILENO);
  if (errors == STDERR_FILENO && was_closed[2]) fcntl(STDERR_FILENO, F_SETFD, FD_CLOEXEC);  // until then ours
  signal(SIGCHLD, SIG_DFL);  // inherited as ignored it would hide how the command's own children ended
  sigaction(SIGPIPE, &inherited_pipe_signal, NULL);
  if (settings->has_user && !become_user(settings)) return step_user;
  execvp(settings->command[0], settings->command);
  return step_run;
}

__attribute__((noreturn)) static void cannot_become(const struct settings *settings, const char *step, int error) {
  const char *object = step == step_cgroup ? settings->cgroup : settings->command[0];
  const int status = step != step_run ? PLUMB_FAILED : error == ENOENT ? PLUMB_NOT_FOUND : PLUMB_CANNOT_RUN;
  account_fail(status, "%s %s: %s", step, object, strerror(error));
}

// Passes standard error on and remembers its end; false at the end of it, or when there is nothing more right now.
static bool pass_error(int fd) {
  char block[4096];
  const ssize_t got = usage_read(fd, block, sizeof block);
  if (got <= 0) return got < 0 && errno == EINTR;
  account_said(block, (size_t)got);
  for (ssize_t done = 0; done < got;) {
    const ssize_t put = usage_write(STDERR_FILENO, block + done, (size_t)(got - done));
    if (put > 0)
      done += put;
    else if (put == 0 || !tool_again(STDERR_FILENO, POLLOUT))
      break;  // nobody is left to read it; the account still gets it
  }
  return true;
}

// Until the command's end, which is noted at once; what it wrote before that is fetched after it. A process that it
// left behind with its standard error open is not waited for.
static double wait_for_command(int errors) {
  double ended_s;
  struct pollfd watched[2] = {{process_handle(PROCESS_COMMAND), POLLIN, 0}, {errors, POLLIN, 0}};
  for (;;) {
    if (poll(watched, 2, -1) < 0) continue;  // a signal, which has been forwarded
    if (watched[0].revents != 0) break;
    if (watched[1].revents != 0 && !pass_error(errors)) watched[1].fd = -1;
  }
  ended_s = clock_now_s();
  if (watched[1].fd >= 0) fcntl(errors, F_SETFL, O_NONBLOCK);
  // What the command wrote fits into the pipe, 64 KiB: one who goes on writing has been left behind by it.
  for (int blocks = 0; watched[1].fd >= 0 && blocks < 16 && pass_error(errors); blocks++) continue;
  return ended_s;
}

// The same file, opened once more to be synced: if the command's own opening stayed open here, what a file system does
// at the last close (ext4 writes back a file that was truncated) would be missing from the command's time.
static int open_for_sync(const struct settings *settings, int out) {
  char path[32];
  struct stat found;
  int fd;
  if (fstat(out, &found) != 0 || !S_ISREG(found.st_mode))
    account_fail(PLUMB_FAILED, "--sync with %s: it is not a file", settings->out.word);
  snprintf(path, sizeof path, "/proc/self/fd/%d", out);
  fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) account_fail(PLUMB_FAILED, "open %s for --sync: %s", settings->out.word, strerror(errno));
  return fd;
}

static void make_durable(const struct settings *settings, int file, double started_s) {
  if (fdatasync(file) != 0) account_fail(PLUMB_FAILED, "sync %s: %s", settings->out.word, strerror(errno));
  account.durable_s += clock_now_s() - started_s;
  account.has_durable = true;
}

static void deliver(const struct settings *settings, int out, int status, double started_s, double ended_s) {
  double delivered_s;
  const char *problem = end_deliver(&settings->out, out, clock_now_s() + settings->wait_s);
  const bool piped = settings->out.kind == END_PIPE;
  if (piped) {
    process_end(PROCESS_READER);  // if it is still there
    account.delivered_bytes = process_page->delivered_bytes;  // of all runs so far
    account.has_delivered_bytes = true;
  }
  if (problem && process_interrupted() != 0 && status == 0) account_fail(128 + process_interrupted(), "interrupted");
  if (problem && status == 0) account_fail(PLUMB_FAILED, "deliver to %s: %s", settings->out.word, problem);
  if (problem) return;  // the command has failed, and why it did says more
  delivered_s = piped ? process_page->delivered_at_s : clock_now_s();
  account.delivered_s += (delivered_s > ended_s ? delivered_s : ended_s) - started_s;
  account.has_delivered = true;
}

// In plumb after the fork: only the command holds its ends, so that only the command's end ends a pipe or closes a file.
// A socket stays, to see the end of the data out.
static void let_go(const struct settings *settings, int in, int out) {
  if (in != STDIN_FILENO) close(in);
  if (out != STDOUT_FILENO && settings->out.kind != END_TCP && settings->out.kind != END_UNIX) close(out);
}

// One run; the exit status of the command, or 128 + signal.
static int run_once(const struct settings *settings) {
  int errors[2] = {-1, STDERR_FILENO};
  const int in = end_open_input(&settings->in);
  const int out = end_open_output(&settings->out);
  const int synced = settings->sync ? open_for_sync(settings, out) : -1;
  if (account_wanted() && pipe2(errors, O_CLOEXEC) != 0)
    account_fail(PLUMB_FAILED, "create a pipe: %s", strerror(errno));
  process_forward_signals(isatty(in));
  usage_begin();

  const double started_s = clock_now_s();
  const pid_t command = process_fork(PROCESS_COMMAND);
  if (command == 0) {
    const char *step = become(settings, in, out, errors[1]);
    process_page->command_errno = errno;
    process_page->command_step = step;
    _exit(PLUMB_FAILED);
  }
  let_go(settings, in, out);
  if (errors[0] >= 0) close(errors[1]);
  signal(SIGPIPE, SIG_IGN);  // a vanished standard error of plumb's is no reason to leave the command alone

  const double ended_s = wait_for_command(errors[0]);
  const int how = usage_end(command, settings->cgroup ? CGROUP_WRITES : 0, settings->cgroup ? CGROUP_BYTES : 0);
  process_forget(PROCESS_COMMAND);
  if (errors[0] >= 0) close(errors[0]);
  if (process_page->command_step) cannot_become(settings, process_page->command_step, process_page->command_errno);
  account.repeat++;
  account.return_s += ended_s - started_s;
  account.signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;

  const int status = account.signal ? 128 + account.signal : WEXITSTATUS(how);
  end_finish_input(&settings->in);
  if (end_is_delivered(&settings->out)) deliver(settings, out, status, started_s, ended_s);
  if (settings->sync && status == 0) make_durable(settings, synced, started_s);
  if (synced >= 0) close(synced);
  return status;
}

// Whether plumb has anything to do at or after the command's end.
static bool is_needed(const struct settings *settings) {
  return account_wanted() || settings->sync || settings->repeat > 1 || settings->in.kind == END_PIPE ||
         end_is_delivered(&settings->out);
}

int main(int argc, char **argv) {
  struct settings settings;
  off_t start = 0;
  int status = 0;
  (void)argc;
  fill_standard_descriptors();
  sigaction(SIGPIPE, NULL, &inherited_pipe_signal);
  signal(SIGCHLD, SIG_DFL);
  settings = settings_parse(argv);
  if (!is_needed(&settings)) {
    const int in = end_open_input(&settings.in);
    const int out = end_open_output(&settings.out);
    const char *step = become(&settings, in, out, STDERR_FILENO);
    cannot_become(&settings, step, errno);
  }
  if (settings.in.kind == END_INHERIT) start = lseek(STDIN_FILENO, 0, SEEK_CUR);
  for (uint64_t run = 0; run < settings.repeat && status == 0; run++) {
    if (run > 0 && process_interrupted() != 0) account_fail(128 + process_interrupted(), "interrupted");
    if (run > 0 && settings.fresh && unlink(settings.fresh) != 0 && errno != ENOENT)
      account_fail(PLUMB_FAILED, "remove %s: %s", settings.fresh, strerror(errno));
    if (run > 0 && start >= 0 && settings.in.kind == END_INHERIT) lseek(STDIN_FILENO, start, SEEK_SET);
    status = run_once(&settings);
  }
  account_finish(status);
}

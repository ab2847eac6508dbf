// SPDX-License-Identifier: MIT
// See process.h.
#include "process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "account.h"
#include "clock.h"

struct process_page *process_page;
static pid_t children[PROCESS_ROLES];
static int handles[PROCESS_ROLES] = {-1, -1, -1};

static void share_page(void) {
  void *page = mmap(NULL, sizeof(struct process_page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) account_fail(PLUMB_FAILED, "share a page with children: %s", strerror(errno));
  process_page = (struct process_page *)page;
}

static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP};
enum { FORWARDED = sizeof forwarded / sizeof forwarded[0] };
static bool is_caught[FORWARDED];
static volatile sig_atomic_t last_signal;
static volatile pid_t forward_to;  // as kill(2) takes it; 0: no command runs
static pid_t command_group;        // of the last command; 0: none of its own
static bool on_terminal;

static void forward(int signal_number, siginfo_t *origin, void *context) {
  const int error = errno;
  (void)context;
  last_signal = signal_number;
  if (forward_to != 0 && !(on_terminal && origin->si_code == SI_KERNEL)) kill(forward_to, signal_number);
  errno = error;
}

void process_forward_signals(bool terminal) {
  struct sigaction action, inherited;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = forward;
  action.sa_flags = SA_SIGINFO | SA_RESTART;  // poll(2) returns all the same
  on_terminal = terminal;
  for (int i = 0; i < FORWARDED; i++)
    if (!is_caught[i] && sigaction(forwarded[i], NULL, &inherited) == 0 && inherited.sa_handler != SIG_IGN)
      is_caught[i] = sigaction(forwarded[i], &action, NULL) == 0;
}

int process_interrupted(void) { return last_signal; }

// A parent that went before this call sends nothing: it had a millisecond to go in.
void process_die_with_parent(void) {
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0)
    account_fail(PLUMB_FAILED, "ask to die with the parent: %s", strerror(errno));
}

static sigset_t hold_signals(void) {
  sigset_t held, before;
  sigemptyset(&held);
  for (int i = 0; i < FORWARDED; i++) sigaddset(&held, forwarded[i]);
  sigprocmask(SIG_BLOCK, &held, &before);
  return before;
}

// The signals are held back between the look at last_signal and the waiting, or one could slip in between.
int process_poll(int fd, short events, double deadline_s) {
  const sigset_t before = hold_signals();
  int ready = 0;
  while (last_signal == 0) {
    struct pollfd watched = {fd, events, 0};
    const int left_ms = clock_poll_ms(deadline_s);
    const struct timespec left = {left_ms / 1000, left_ms % 1000 * 1000000L};
    ready = ppoll(&watched, 1, &left, &before);
    if (ready > 0 || left_ms == 0) break;
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  return last_signal != 0 ? -1 : ready > 0;
}

static void start_as_child(enum process_role role, pid_t parent) {
  for (int i = 0; i < FORWARDED; i++)
    if (is_caught[i]) signal(forwarded[i], SIG_DFL);
  if (role == PROCESS_COMMAND && !on_terminal) setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(PLUMB_FAILED);  // plumb was killed before it could be asked to take us along
}

// In parent and child the group is made; whoever comes second fails, and it does not matter.
static void start_forwarding(pid_t command) {
  if (!on_terminal) setpgid(command, command);
  command_group = on_terminal ? 0 : command;
  forward_to = on_terminal ? command : -command;
  if (last_signal != 0) kill(forward_to, last_signal);
}

// The signals are held back meanwhile: one that came in between would be lost, or be forwarded by the child to itself.
pid_t process_fork(enum process_role role) {
  const pid_t parent = getpid();
  sigset_t before;
  pid_t child;
  if (!process_page) share_page();
  before = hold_signals();
  child = fork();
  if (child == 0) start_as_child(role, parent);
  if (child > 0 && role == PROCESS_COMMAND) start_forwarding(child);
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (child < 0) account_fail(PLUMB_FAILED, "fork: %s", strerror(errno));
  if (child == 0) return 0;
  children[role] = child;
  handles[role] = (int)syscall(SYS_pidfd_open, child, 0);  // close-on-exec
  if (handles[role] < 0) account_fail(PLUMB_FAILED, "pidfd_open: %s", strerror(errno));
  return child;
}

int process_handle(enum process_role role) { return handles[role]; }

bool process_wait(enum process_role role, double deadline_s, int *status) {
  pid_t got;
  if (process_poll(handles[role], POLLIN, deadline_s) <= 0) return false;
  do got = waitpid(children[role], status, 0);
  while (got < 0 && errno == EINTR);
  process_forget(role);
  return true;
}

void process_forget(enum process_role role) {
  if (role == PROCESS_COMMAND) forward_to = 0;
  children[role] = 0;
  if (handles[role] >= 0) close(handles[role]);
  handles[role] = -1;
}

void process_end(enum process_role role) {
  if (children[role] == 0) return;
  kill(children[role], SIGKILL);
  while (waitpid(children[role], NULL, 0) < 0 && errno == EINTR) continue;
  process_forget(role);
}

void process_end_all(void) {
  if (command_group != 0) kill(-command_group, SIGKILL);
  for (int role = 0; role < PROCESS_ROLES; role++) process_end((enum process_role)role);
}

#include "trainer/comm/local_ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cli/files.h"
#include "trainer/comm/rank_place.h"
#include "trainer/record/timeline.h"

static const Place here = {.source = "trainyard: ranks"};

/* One pipe from a rank: what it prints, until the line is whole. */
typedef struct {
    int descriptor; /* -1: closed, or never opened */
    FILE *stream;   /* where its lines go */
    Text line;
} Pipe;

typedef struct {
    pid_t process; /* 0: it has ended */
    Pipe pipes[2]; /* of its stdout and stderr, where they are read */
} Rank;

typedef struct {
    const LocalRanksPlan *plan;
    Rank *ranks;
    int32_t running;
    char run[RUN_WORD_MAX + 1];
    const char *folder, *meeting; /* where the ranks meet */
    Text beside;                  /* path of a verb's program beside this one */
    int notices;                  /* reads what the handler of signals writes */
    LocalRanksEnd *end;
    int64_t judge_ns; /* when it is clear who failed first; INT64_MAX: nobody has failed */
    int64_t kill_ns;  /* when those who are left are killed; INT64_MAX: nobody was asked to end */
    bool was_told;
} Launch;

/* A process that is killed closes its connections before it is gone, so that others may notice and
 * be gone first: who ends with an exit code is not judged at once. */
#define JUDGE_NS (200 * NS_PER_MS)

/* --- Signals --- */

static const int watched[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
enum { WATCHED_COUNT = sizeof watched / sizeof watched[0] };

typedef struct {
    int signal;
    pid_t process; /* of SIGCHLD: who ended */
} Notice;

/* The process', because signals are. */
static struct {
    volatile sig_atomic_t pipe; /* descriptor to write to */
    struct sigaction before[WATCHED_COUNT];
} handler;

static void handle(int signal, siginfo_t *info, void *context)
{
    (void)context;
    const int error = errno;
    const Notice notice = {.signal = signal, .process = info->si_pid};
    // A full pipe has notices enough.
    (void)!write(handler.pipe, &notice, sizeof notice);
    errno = error;
}

static bool set_flags(int descriptor, bool is_waiting)
{
    const int flags = fcntl(descriptor, F_GETFL);
    return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(descriptor, F_SETFL, is_waiting ? flags & ~O_NONBLOCK : flags | O_NONBLOCK) == 0;
}

static bool pipe_open(int ends[2], Status *status)
{
    if (pipe(ends) == 0) {
        if (set_flags(ends[0], false) && set_flags(ends[1], true))
            return true;
        close(ends[0]);
        close(ends[1]);
    }
    return status_fail(status, STATUS_MACHINE, here, "no pipe can be had: %s", strerror(errno));
}

static bool signals_watch(Launch *launch, Status *status)
{
    int ends[2];
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART};
    if (!pipe_open(ends, status))
        return false;
    (void)set_flags(ends[1], false); // a handler does not wait
    launch->notices = ends[0];
    handler.pipe = ends[1];
    sigfillset(&action.sa_mask);
    for (int i = 0; i < WATCHED_COUNT; i++) {
        sigaction(watched[i], &action, &handler.before[i]);
        if (watched[i] != SIGCHLD && handler.before[i].sa_handler == SIG_IGN) // nohup
            sigaction(watched[i], &handler.before[i], NULL);
    }
    return true;
}

static void signals_forget(const Launch *launch)
{
    for (int i = 0; i < WATCHED_COUNT; i++)
        sigaction(watched[i], &handler.before[i], NULL);
    close(handler.pipe);
    close(launch->notices);
}

/* --- What ranks print --- */

enum { LINE_MAX_BYTES = 1 << 16 }; /* a longer one leaves in pieces */

static void line_write(const Launch *launch, int32_t rank, Pipe *from, const char *line,
                       size_t length)
{
    if (launch->plan->is_tagged)
        fprintf(from->stream, "[%" PRId32 "] ", rank);
    fwrite(line, 1, length, from->stream);
}

/* Whole lines leave; with `is_last` also one that has no end, which gets one. */
static void lines_write(const Launch *launch, int32_t rank, Pipe *from, bool is_last)
{
    const char *next = text_string(&from->line);
    size_t left = from->line.length;
    for (const char *newline; left > 0 && (newline = memchr(next, '\n', left));) {
        const size_t length = (size_t)(newline + 1 - next);
        line_write(launch, rank, from, next, length);
        next += length;
        left -= length;
    }
    if (left > 0 && (is_last || left > LINE_MAX_BYTES)) {
        line_write(launch, rank, from, next, left);
        fputc('\n', from->stream);
        left = 0;
    }
    if (from->line.data) {
        memmove(from->line.data, next, left);
        from->line.data[left] = '\0';
    }
    from->line.length = left;
    fflush(from->stream);
}

/* False when there is nothing more for now. */
static bool pipe_read(const Launch *launch, int32_t rank, Pipe *from)
{
    char block[16 * 1024];
    const ssize_t count = read(from->descriptor, block, sizeof block);
    if (count < 0 && errno == EINTR)
        return true;
    if (count > 0) {
        text_append(&from->line, block, (size_t)count);
        lines_write(launch, rank, from, false);
        return true;
    }
    if (count < 0 && errno == EAGAIN)
        return false;
    lines_write(launch, rank, from, true);
    close(from->descriptor);
    from->descriptor = -1;
    return false;
}

/* What a rank has printed when it is gone; what it has started may go on printing, to nobody. */
static void pipes_drain(const Launch *launch, int32_t rank)
{
    for (int i = 0; i < 2; i++) {
        Pipe *from = &launch->ranks[rank].pipes[i];
        while (from->descriptor >= 0 && pipe_read(launch, rank, from))
            continue;
        if (from->descriptor >= 0) {
            lines_write(launch, rank, from, true);
            close(from->descriptor);
            from->descriptor = -1;
        }
        text_free(&from->line);
    }
}

/* --- Starting --- */

/* A word that no other run has. */
static bool make_run_word(char run[RUN_WORD_MAX + 1], Status *status)
{
    uint8_t bytes[16];
    FILE *source = fopen("/dev/urandom", "rb");
    const bool is_read = source && fread(bytes, sizeof bytes, 1, source) == 1;
    if (source)
        fclose(source);
    if (!is_read)
        return status_fail(status, STATUS_MACHINE, here, "/dev/urandom gives nothing: %s",
                           strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(run + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static bool make_meeting(Launch *launch, Arena *arena, Status *status)
{
    launch->folder = folder_create_temporary(arena, "trainyard-ranks", status);
    if (!launch->folder)
        return false;
    launch->meeting = arena_printf(arena, "file:%s/meeting", launch->folder);
    return make_run_word(launch->run, status);
}

/* Rank 0 has the standard input, as mpirun does it; but a terminal belongs to the launcher's
 * process group, and reading it from another one would stop the rank. */
static void take_input(int32_t rank)
{
    if (rank == 0 && !isatty(STDIN_FILENO))
        return;
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
}

/* A rank does not outlive a launcher that was killed. */
static void end_with_parent(pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (getppid() != parent)
        _exit(128 + SIGTERM);
}

/* In the rank's process: becomes the program; returns when there is none. */
static void become(const Launch *launch)
{
    char **command = launch->plan->command;
    if (launch->beside.length > 0) {
        char *name = command[0];
        command[0] = strrchr(launch->beside.data, '/') + 1;
        execv(launch->beside.data, command);
        command[0] = name;
        if (errno != ENOENT)
            return;
    }
    execvp(command[0], command);
}

static void child_run(const Launch *launch, int32_t rank, pid_t parent, const int ends[3])
{
    const LocalRanksPlan *plan = launch->plan;
    const RankPlace place = {.rank = rank,
                             .ranks = plan->ranks,
                             .local_rank = rank,
                             .local_ranks = plan->ranks,
                             .local_gpus = plan->local_gpus,
                             .meeting = launch->meeting,
                             .run = launch->run,
                             .timeout_ns = plan->timeout_ns};
    sigset_t none;
    setpgid(0, 0);
    end_with_parent(parent);
    for (int i = 0; i < WATCHED_COUNT; i++)
        sigaction(watched[i], &handler.before[i], NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    take_input(rank);
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            dup2(ends[i], i == 0 ? STDOUT_FILENO : STDERR_FILENO);
    rank_place_write(&place);
    become(launch);
    const int error = errno;
    (void)!write(ends[2], &error, sizeof error); // closed by an exec that works
    _exit(127);
}

/* Whether the rank's program runs: waits for its exec. */
static bool check_started(const Launch *launch, int reading, Status *status)
{
    int error;
    ssize_t count;
    do
        count = read(reading, &error, sizeof error);
    while (count < 0 && errno == EINTR);
    if (count != (ssize_t)sizeof error)
        return true;
    const char *name = launch->plan->command[0];
    status_fail(status, STATUS_MACHINE, here, "starting \"%s\" failed: %s", name, strerror(error));
    if (error == ENOENT && !strchr(name, '/'))
        status_hint(status, "neither trainyard-%s beside this program nor %s on PATH", name, name);
    return false;
}

/* Pipes for what the rank prints, where it is read here: ends[0], ends[1] are the rank's. */
static bool open_pipes(const Launch *launch, int32_t rank, int ends[3], Status *status)
{
    const bool is_read = rank > 0 || launch->plan->is_tagged;
    Rank *started = &launch->ranks[rank];
    for (int i = 0; i < 2; i++)
        started->pipes[i] =
            (Pipe){.descriptor = -1, .stream = i == 0 ? stdout : stderr, .line = {0}};
    for (int i = 0; i < 2 && is_read; i++) {
        int both[2];
        if (!pipe_open(both, status))
            return false;
        started->pipes[i].descriptor = both[0];
        ends[i] = both[1];
    }
    return true;
}

static bool start_rank(Launch *launch, int32_t rank, Status *status)
{
    int ends[3] = {-1, -1, -1}, started[2] = {-1, -1};
    const pid_t parent = getpid();
    pid_t process = -1;
    if (open_pipes(launch, rank, ends, status) && pipe_open(started, status)) {
        (void)set_flags(started[0], true);
        ends[2] = started[1];
        process = fork();
        if (process == 0)
            child_run(launch, rank, parent, ends);
        if (process < 0)
            status_fail(status, STATUS_MACHINE, here, "rank %" PRId32 " cannot be started: %s",
                        rank, strerror(errno));
    }
    for (int i = 0; i < 3; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    if (process > 0) {
        setpgid(process, process); // whoever of the two comes first
        launch->ranks[rank].process = process;
        launch->running++;
    }
    const bool is_started = process > 0 && check_started(launch, started[0], status);
    if (started[0] >= 0)
        close(started[0]);
    return is_started;
}

/* --- Ending --- */

static void signal_all(const Launch *launch, int signal)
{
    for (int32_t rank = 0; rank < launch->plan->ranks; rank++)
        if (launch->ranks[rank].process > 0)
            kill(-launch->ranks[rank].process, signal);
}

static void ask_to_end(Launch *launch)
{
    if (launch->kill_ns != INT64_MAX)
        return;
    signal_all(launch, SIGTERM);
    launch->kill_ns = timeline_clock_ns() + launch->plan->grace_ns;
}

/* A signal to the launcher goes to all ranks; who sends another is in a hurry. */
static void pass_on(Launch *launch, int signal)
{
    signal_all(launch, launch->was_told ? SIGKILL : signal);
    launch->was_told = true;
}

/* Of ranks that fail shortly one after the other, one that was killed is the cause, and those with
 * an exit code have missed it. */
static void note_end(Launch *launch, const LocalRanksEnd *end)
{
    LocalRanksEnd *known = launch->end;
    if (end->exit_code == 0 || launch->kill_ns != INT64_MAX)
        return;
    if (known->rank < 0)
        launch->judge_ns = timeline_clock_ns() + JUDGE_NS;
    if (known->rank < 0 || (end->signal && !known->signal))
        *known = *end;
    if (known->signal)
        launch->judge_ns = timeline_clock_ns();
}

static int32_t rank_of(const Launch *launch, pid_t process)
{
    int32_t rank = 0;
    while (rank < launch->plan->ranks && launch->ranks[rank].process != process)
        rank++;
    return rank < launch->plan->ranks ? rank : -1;
}

/* `process` has ended and is not waited for yet, so that its number is still its own. What is left
 * of a rank's process group goes with it. */
static void process_ended(Launch *launch, pid_t process)
{
    const int32_t rank = rank_of(launch, process);
    int how = 0;
    if (rank >= 0)
        kill(-process, SIGTERM);
    waitpid(process, &how, 0);
    if (rank < 0)
        return;
    const int signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    const LocalRanksEnd end = {.rank = rank,
                               .signal = signal,
                               .exit_code = signal ? 128 + signal : WEXITSTATUS(how),
                               .was_told = launch->was_told};
    launch->ranks[rank].process = 0;
    launch->running--;
    pipes_drain(launch, rank);
    note_end(launch, &end);
}

/* Whoever has ended, one of them; 0 when nobody has. */
static pid_t find_ended(idtype_t whose, pid_t process)
{
    siginfo_t info = {.si_pid = 0};
    const int found = waitid(whose, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT);
    return found == 0 ? info.si_pid : 0;
}

static void hear_notices(Launch *launch)
{
    Notice notice;
    while (read(launch->notices, &notice, sizeof notice) == (ssize_t)sizeof notice) {
        // SIGCHLD keeps its first sender until it is heard.
        if (notice.signal != SIGCHLD)
            pass_on(launch, notice.signal);
        else if (rank_of(launch, notice.process) >= 0 &&
                 find_ended(P_PID, notice.process) == notice.process)
            process_ended(launch, notice.process);
    }
    for (pid_t process; (process = find_ended(P_ALL, 0)) > 0;)
        process_ended(launch, process);
}

/* What is due by now: asking to end, killing. The time of what is next. */
static int64_t do_what_is_due(Launch *launch)
{
    const int64_t now_ns = timeline_clock_ns();
    if (now_ns >= launch->judge_ns && launch->kill_ns == INT64_MAX)
        ask_to_end(launch);
    if (now_ns >= launch->kill_ns) {
        signal_all(launch, SIGKILL);
        launch->kill_ns = now_ns + NS_PER_S; // a process that the system holds dies late
    }
    return launch->kill_ns == INT64_MAX ? launch->judge_ns : launch->kill_ns;
}

/* --- Together --- */

enum { POLLED_EACH = 2 };

static int ms_until(int64_t time_ns)
{
    if (time_ns == INT64_MAX)
        return -1;
    const int64_t left_ms = (time_ns - timeline_clock_ns()) / NS_PER_MS + 1;
    return left_ms < 0 ? 0 : left_ms > INT_MAX ? INT_MAX : (int)left_ms;
}

/* Waits for what ranks print and for those that end. */
static void attend_once(Launch *launch, struct pollfd *polled)
{
    const int32_t count = POLLED_EACH * launch->plan->ranks;
    for (int32_t i = 0; i < count; i++)
        polled[i] =
            (struct pollfd){.fd = launch->ranks[i / POLLED_EACH].pipes[i % POLLED_EACH].descriptor,
                            .events = POLLIN};
    polled[count] = (struct pollfd){.fd = launch->notices, .events = POLLIN};
    if (poll(polled, (nfds_t)count + 1, ms_until(do_what_is_due(launch))) <= 0)
        return;
    for (int32_t i = 0; i < count; i++)
        if (polled[i].revents)
            pipe_read(launch, i / POLLED_EACH,
                      &launch->ranks[i / POLLED_EACH].pipes[i % POLLED_EACH]);
    if (polled[count].revents)
        hear_notices(launch);
}

static bool start_all(Launch *launch, Status *status)
{
    for (int32_t rank = 0; rank < launch->plan->ranks; rank++)
        if (!start_rank(launch, rank, status))
            return false;
    return true;
}

bool local_ranks_run(const LocalRanksPlan *plan, Arena *arena, LocalRanksEnd *end, Status *status)
{
    Status second;
    Launch launch = {.plan = plan,
                     .ranks = ARENA_ARRAY(arena, Rank, plan->ranks),
                     .end = end,
                     .judge_ns = INT64_MAX,
                     .kill_ns = INT64_MAX};
    struct pollfd *polled = ARENA_ARRAY(arena, struct pollfd, POLLED_EACH * plan->ranks + 1);
    *end = (LocalRanksEnd){.rank = -1};
    for (int32_t i = 0; i < POLLED_EACH * plan->ranks; i++)
        launch.ranks[i / POLLED_EACH].pipes[i % POLLED_EACH].descriptor = -1;
    if (!strchr(plan->command[0], '/')) {
        folder_of_program(&launch.beside);
        if (launch.beside.length > 0)
            text_printf(&launch.beside, "trainyard-%s", plan->command[0]);
    }
    bool is_started = signals_watch(&launch, status);
    if (is_started) {
        is_started = make_meeting(&launch, arena, status) && start_all(&launch, status);
        if (!is_started)
            ask_to_end(&launch);
        while (launch.running > 0)
            attend_once(&launch, polled);
        signals_forget(&launch);
    }
    if (launch.folder)
        (void)!folder_remove(launch.folder, &second); // a few bytes in a folder for such
    text_free(&launch.beside);
    return is_started;
}

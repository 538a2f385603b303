#define _GNU_SOURCE // sched_getaffinity and environ
#include "real/launch/ranks.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"

/* --- The machine --- */

static int32_t count_cores(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return CPU_COUNT(&allowed);
    const long online = sysconf(_SC_NPROCESSORS_ONLN); // too many for a cpu_set_t
    return online < 1 ? 1 : (int32_t)online;
}

static bool is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0';
}

/* True for nvidia0, false for nvidiactl. */
static bool is_gpu_device(const char *name)
{
    static const char stem[] = "nvidia";
    return strncmp(name, stem, strlen(stem)) == 0 && is_number(name + strlen(stem));
}

/* Each GPU has a folder such as 0000:01:00.0. */
static bool is_gpu_address(const char *name)
{
    return isxdigit((unsigned char)name[0]);
}

static int32_t count_entries(const char *folder, bool (*is_one)(const char *name))
{
    int32_t count = 0;
    DIR *listing = opendir(folder);
    if (!listing)
        return 0;
    for (const struct dirent *entry; (entry = readdir(listing));)
        count += is_one(entry->d_name);
    closedir(listing);
    return count;
}

/* A container sees all GPUs of its machine in /proc, but only its own in /dev. /dev may have none
 * until the first use of a GPU. */
static int32_t count_gpus(void)
{
    const int32_t devices = count_entries("/dev", is_gpu_device);
    return devices > 0 ? devices : count_entries("/proc/driver/nvidia/gpus", is_gpu_address);
}

static const char *find_program(Arena *arena, const char *name)
{
    const char *folders = getenv("PATH");
    if (!folders)
        folders = "/usr/local/bin:/usr/bin:/bin";
    for (const char *next = folders; *next;) {
        const int length = (int)strcspn(next, ":");
        const char *path = arena_printf(arena, "%.*s/%s", length, next, name);
        if (path[0] == '/' && access(path, X_OK) == 0)
            return path;
        next += next[length] ? length + 1 : length;
    }
    return NULL;
}

RanksMachine ranks_machine(Arena *arena)
{
    return (RanksMachine){
        .cores = count_cores(), .gpus = count_gpus(), .mpirun = find_program(arena, "mpirun")};
}

/* --- Starting --- */

static bool check_gpus(const RanksMachine *machine, const RanksPlan *plan, Status *status)
{
    const Place here = place_in("trainyard", 0, 0);
    if (!plan->is_on_gpus || plan->ranks <= machine->gpus)
        return true;
    if (machine->gpus == 0) {
        status_fail(status, STATUS_MACHINE, here,
                    "%" PRId32 " rank%s cannot use a GPU: this machine has no NVIDIA driver",
                    plan->ranks, plural(plan->ranks));
        return status_hint(status, "the driver shows GPUs as /dev/nvidia0 and in "
                                   "/proc/driver/nvidia; processors can compute instead");
    }
    status_fail(status, STATUS_MACHINE, here,
                "%" PRId32 " ranks need a GPU each, but this machine has %" PRId32, plan->ranks,
                machine->gpus);
    return status_hint(status, "use at most %" PRId32 " rank%s, or compute on processors",
                       machine->gpus, plural(machine->gpus));
}

static bool check_programs(const RanksMachine *machine, const RanksPlan *plan, Status *status)
{
    if (access(plan->program, X_OK) != 0) {
        status_fail(status, STATUS_MACHINE, place_in(plan->program, 0, 0),
                    "the program does not exist");
        return status_hint(status, "\"cmake --build\" builds it together with this program; "
                                   "\"cmake --install\" puts both into one folder");
    }
    if (plan->ranks > 1 && !machine->mpirun) {
        status_fail(status, STATUS_MACHINE, place_in("mpirun", 0, 0),
                    "is not on PATH, and %" PRId32 " ranks need it", plan->ranks);
        return status_hint(status, "install the Debian package openmpi-bin");
    }
    return true;
}

/* The length of a list that ends with NULL. */
static size_t length_of(char *const *list)
{
    size_t length = 0;
    while (list[length])
        length++;
    return length;
}

static char **append(char **end, char *const *more)
{
    while (*more)
        *end++ = *more++;
    *end = NULL;
    return end;
}

/* Builds mpirun's command line: its own options, then the program and the program's arguments. */
static char **mpirun_arguments(Arena *arena, const RanksMachine *machine, const RanksPlan *plan)
{
    static char count[] = "-n", as_root[] = "--allow-run-as-root";
    static char threads_are_cores[] = "--use-hwthread-cpus", not_bound[] = "--bind-to",
                to_nothing[] = "none";
    // Waiting ranks yield their core to others. Open MPI does so automatically only if it knows
    // which cores this process may use.
    static char *const shared[] = {"--oversubscribe", "--mca", "mpi_yield_when_idle", "1", NULL};
    enum { OWN = 16 };
    char **list = ARENA_ARRAY(arena, char *, OWN + length_of(plan->arguments));
    char *const fixed[] = {arena_strdup(arena, machine->mpirun),
                           count,
                           arena_printf(arena, "%" PRId32, plan->ranks),
                           threads_are_cores,
                           not_bound,
                           to_nothing,
                           geteuid() == 0 ? as_root : NULL,
                           NULL};
    char **end = append(list, fixed);
    if (plan->ranks > machine->cores)
        end = append(end, shared);
    *end++ = arena_strdup(arena, plan->program);
    append(end, plan->arguments);
    return list;
}

static char **own_arguments(Arena *arena, const RanksPlan *plan)
{
    char **list = ARENA_ARRAY(arena, char *, length_of(plan->arguments) + 2);
    list[0] = arena_strdup(arena, plan->program);
    append(list + 1, plan->arguments);
    return list;
}

static bool configures_mpi(const char *variable)
{
    static const char *const stems[] = {"OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_"};
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (strncmp(variable, stems[i], strlen(stems[i])) == 0)
            return true;
    return false;
}

/* Adds the variables of this process that configure Open MPI for this machine: they are not the
 * job's. */
static char **environment_of(Arena *arena, const RanksPlan *plan)
{
    char **list = ARENA_ARRAY(arena, char *, length_of(plan->environment) + length_of(environ) + 1);
    char **end = append(list, plan->environment);
    for (char *const *own = environ; *own; own++)
        if (configures_mpi(*own))
            *end++ = *own;
    *end = NULL;
    return list;
}

static const char *warning_of(Arena *arena, const RanksMachine *machine, const RanksPlan *plan)
{
    if (plan->ranks <= machine->cores)
        return NULL;
    return arena_printf(arena,
                        "%" PRId32 " ranks on %" PRId32
                        " core%s: they take turns, and each step waits for the last",
                        plan->ranks, machine->cores, plural(machine->cores));
}

bool ranks_start(Arena *arena, const RanksMachine *machine, const RanksPlan *plan, Child *child,
                 const char **warning, Status *status)
{
    *child = (Child){0};
    *warning = warning_of(arena, machine, plan);
    if (!check_gpus(machine, plan, status) || !check_programs(machine, plan, status))
        return false;
    const bool has_mpi = plan->ranks > 1;
    const ChildPlan started = {
        .arguments = has_mpi ? mpirun_arguments(arena, machine, plan) : own_arguments(arena, plan),
        .environment = has_mpi ? environment_of(arena, plan) : plan->environment,
        .directory = plan->directory,
        .out = plan->out,
        .error = plan->error};
    if (child_start(&started, child, status))
        return true;
    status->code = STATUS_MACHINE; // check_programs found the program a moment ago
    return false;
}

/* --- Waiting --- */

/* Between SIGTERM and SIGKILL. mpirun needs one second of it for its ranks. */
#define GRACE_NS (5 * NS_PER_S)
#define PROGRESS_NS (200 * NS_PER_MS)

/* The signals that end a pause: SIGCHLD, and stop signals that this process does not ignore (nohup
 * and shell scripts make processes ignore them). */
static sigset_t awaited_signals(void)
{
    const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        struct sigaction action;
        if (sigaction(stops[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&awaited, stops[i]);
    }
    return awaited;
}

typedef struct {
    Child *child;
    int64_t since_ns, late_ns, kill_ns; /* by machine_clock_ns; INT64_MAX: never */
    RanksEnd *end;
} Watch;

static void request_end(Watch *watch, int64_t now_ns)
{
    child_signal(watch->child, SIGTERM);
    watch->kill_ns = now_ns + GRACE_NS;
}

static void handle_signal(Watch *watch, int signal, int64_t now_ns)
{
    if (watch->kill_ns != INT64_MAX) {
        watch->kill_ns = now_ns;
        return;
    }
    watch->end->is_stopped = true;
    watch->end->signal = signal;
    request_end(watch, now_ns);
}

static void enforce_limits(Watch *watch, int64_t now_ns)
{
    if (now_ns >= watch->late_ns && watch->kill_ns == INT64_MAX) {
        watch->end->is_late = true;
        request_end(watch, now_ns);
    }
    if (now_ns >= watch->kill_ns)
        child_signal(watch->child, SIGKILL);
}

/* The `awaited` signals are blocked, so that a signal that arrives between two pauses is not lost.
 */
static void wait_for_end(Watch *watch, const sigset_t *awaited, void (*progress)(void *context),
                         void *context)
{
    int64_t progress_ns = watch->since_ns + PROGRESS_NS;
    while (!child_has_ended(watch->child, &watch->end->exit_code)) {
        const struct timespec pause = {.tv_nsec = PROGRESS_NS};
        const int signal = sigtimedwait(awaited, NULL, &pause);
        const int64_t now_ns = machine_clock_ns();
        if (signal > 0 && signal != SIGCHLD)
            handle_signal(watch, signal, now_ns);
        enforce_limits(watch, now_ns);
        if (progress && now_ns >= progress_ns) {
            progress(context);
            progress_ns = now_ns + PROGRESS_NS;
        }
    }
    watch->end->took_ns = machine_clock_ns() - watch->since_ns;
}

static int64_t later(int64_t time_ns, int64_t by_ns)
{
    return by_ns > INT64_MAX - time_ns ? INT64_MAX : time_ns + by_ns;
}

bool ranks_run(Child *child, int64_t time_limit_ns, void (*progress)(void *context), void *context,
               RanksEnd *end, Status *status)
{
    const int64_t since_ns = machine_clock_ns();
    Watch watch = {.child = child,
                   .since_ns = since_ns,
                   .late_ns = later(since_ns, time_limit_ns),
                   .kill_ns = INT64_MAX,
                   .end = end};
    const sigset_t awaited = awaited_signals();
    ChildGuard guard;
    sigset_t before;
    *end = (RanksEnd){0};
    sigprocmask(SIG_BLOCK, &awaited, &before);
    const bool is_guarded = child_guard_open(&guard, status);
    if (is_guarded)
        child_guard_add(&guard, child);
    else
        child_signal(child, SIGKILL);
    const pid_t process = child->process;
    wait_for_end(&watch, &awaited, progress, context);
    if (is_guarded) {
        child_guard_remove(&guard, process);
        child_guard_close(&guard);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return is_guarded;
}

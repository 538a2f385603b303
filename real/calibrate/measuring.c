#define _GNU_SOURCE // environ, gethostname, pread
#include "real/calibrate/measuring.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "real/calibrate/measurements_join.h"
#include "real/launch/ranks.h"
#include "sim/base/civil_time.h"
#include "sim/base/units.h"
#include "sim/cli/files.h"
#include "sim/cli/machine_clock.h"
#include "sim/cli/progress.h"
#include "sim/cli/report.h"

/* --- The measurements of one round --- */

typedef struct {
    const char *network;
    const char *precision;
    int32_t batch_size;
    int32_t together;
} TrainingRun;

typedef struct {
    int32_t rounds;
    const char *const *networks; /* ended by NULL; the first also runs side by side */
    const int32_t *batches;      /* ended by 0 */
    const int32_t *side_batches; /* a part of `batches`, ended by 0 */
    const char *largest_sum;
} Extent;

static const char *const precisions[] = {"fp32", "bf16"};
enum { PRECISIONS = sizeof precisions / sizeof precisions[0] };
static const char *const all_networks[] = {"keras_cifar10_cnn", "probe_same", "probe_wide",
                                           "probe_valid", NULL};
static const char *const quick_networks[] = {"keras_cifar10_cnn", "probe_wide", NULL};
// Predictions are judged at 8, 16, 32, 64 and 128.
static const int32_t all_batches[] = {4, 12, 24, 48, 96, 160, 0};
static const int32_t quick_batches[] = {4, 24, 96, 0};
static const int32_t all_side_batches[] = {12, 48, 0};
// The factor of two ranks depends on the batch, as caches are shared: small and large ones.
static const int32_t quick_side_batches[] = {24, 96, 0};

static const Extent whole = {3, all_networks, all_batches, all_side_batches, "64MiB"};
static const Extent quick = {2, quick_networks, quick_batches, quick_side_batches, "16MiB"};

/* --- Starting programs --- */

typedef struct {
    Arena *arena;
    const MeasuringPlan *plan;
    const Extent *extent;
    RanksMachine machine;
    int32_t devices; /* GPUs if training runs on them, otherwise cores */
    bool is_on_gpus;
    int signal; /* that ended the measuring; 0: none */
    bool has_precision[PRECISIONS];
    int32_t round, rounds;
    Progress progress;
    int64_t done;
    Json *training, *allreduce, *disk; /* of this round */
} Measuring;

/* A program that runs or has ended. */
typedef struct {
    const char *path;
    Child child;
    FILE *out, *error;
} Started;

enum { OUTPUT_MAX = 1 << 22, ARGUMENTS_MAX = 24 };

static bool fail_machine(Status *status, const char *place, const char *reason)
{
    status_fail(status, STATUS_MACHINE, place_in(place, 0, 0), "%s", reason);
    return false;
}

static void started_close(Started *started)
{
    if (started->out)
        fclose(started->out);
    if (started->error)
        fclose(started->error);
    *started = (Started){0};
}

static bool start(const Measuring *measuring, const char *name, const char *const *arguments,
                  int32_t ranks, Started *started, Status *status)
{
    Arena *arena = measuring->arena;
    char *list[ARGUMENTS_MAX] = {NULL};
    const char *warning; // ignored: oversubscription is to be measured
    for (int32_t i = 0; arguments[i]; i++)
        list[i] = arena_strdup(arena, arguments[i]);
    *started = (Started){.path = arena_printf(arena, "%s%s", measuring->plan->programs, name),
                         .out = tmpfile(),
                         .error = tmpfile()};
    if (!started->out || !started->error)
        return fail_machine(status, "tmpfile", "cannot create a temporary file");
    const RanksPlan plan = {.program = started->path,
                            .arguments = list,
                            .environment = environ,
                            .directory = ".",
                            .ranks = ranks,
                            .is_on_gpus = measuring->is_on_gpus,
                            .out = fileno(started->out),
                            .error = fileno(started->error)};
    return ranks_start(arena, &measuring->machine, &plan, &started->child, &warning, status);
}

/* The whole output of a program, ended by NUL. */
static char *text_of(Arena *arena, FILE *file, size_t *length)
{
    struct stat facts;
    const bool is_known = fstat(fileno(file), &facts) == 0 && facts.st_size < OUTPUT_MAX;
    const size_t size = is_known ? (size_t)facts.st_size : OUTPUT_MAX;
    char *text = arena_alloc(arena, size + 1);
    ssize_t got = pread(fileno(file), text, size, 0);
    *length = got > 0 ? (size_t)got : 0;
    return text;
}

static bool fail_program(const Measuring *measuring, const Started *started, int exit_code,
                         Status *status)
{
    size_t length;
    const char *printed = text_of(measuring->arena, started->error, &length);
    const bool is_refused = exit_code == exit_code_of(STATUS_BAD_INPUT);
    status_fail(status, is_refused ? STATUS_BAD_INPUT : STATUS_MACHINE,
                place_in(started->path, 0, 0), "ended with exit code %d", exit_code);
    if (length > 0)
        status_hint(status, "it printed: %.*s", (int)strcspn(printed, "\n"), printed);
    return false;
}

static void show_progress(void *context)
{
    Measuring *measuring = context;
    progress_update(&measuring->progress, measuring->done);
}

static void count_run(Measuring *measuring)
{
    measuring->done++;
    show_progress(measuring);
}

/* Waits for the program's end; `*out` is its output. */
static bool finish(Measuring *measuring, Started *started, const char **out, size_t *length,
                   int64_t *took_ns, Status *status)
{
    RanksEnd end;
    if (!ranks_run(&started->child, INT64_MAX, show_progress, measuring, &end, status))
        return false;
    measuring->signal = end.signal;
    if (end.is_stopped)
        return fail_machine(status, "trainyard: calibrate",
                            "a signal ended it before the first round was complete");
    if (end.exit_code != 0)
        return fail_program(measuring, started, end.exit_code, status);
    *took_ns = end.took_ns;
    *out = text_of(measuring->arena, started->out, length);
    return true;
}

/* --- The output of benchmarks --- */

static bool is_kept_member(const char *parent, const char *key)
{
    static const char *const root[] = {"network", "precision", "backend", "device",    "batch_size",
                                       "steps",   "gflops",    "step_ms", "phases_ms", "profile"};
    if (strcmp(key, "percent") == 0)
        return false;
    if (parent && (strcmp(key, "min") == 0 || strcmp(key, "p90") == 0))
        return strcmp(parent, "step_ms") == 0;
    if (parent)
        return strcmp(parent, "profile") != 0 || strcmp(key, "stages") == 0 ||
               strcmp(key, "step_us") == 0 || strcmp(key, "steps") == 0;
    for (size_t i = 0; i < sizeof root / sizeof root[0]; i++)
        if (strcmp(key, root[i]) == 0)
            return true;
    return false;
}

static Json *parse(Arena *arena, const char *source, const char *text, size_t length,
                   Status *status)
{
    Problems problems = problems_create(arena);
    Json *root = json_parse(arena, source, text, length, JSON_STRICT, &problems);
    if (!root) {
        *status = problems.items[0];
        status->code = STATUS_MACHINE; // the text is not the user's but a benchmark's
    }
    return root;
}

/* The members of a benchmark's output that are kept; `source` is used in messages. NULL: the output
 * is not such JSON. */
static Json *measured_training(Arena *arena, const char *source, const char *text, size_t length,
                               Status *status)
{
    const Json *root = parse(arena, source, text, length, status);
    if (!root)
        return NULL;
    const Json *stages = json_find(root, "/profile/stages");
    if (stages && stages->kind == JSON_OBJECT && stages->count > 0)
        return json_copy(arena, root, is_kept_member);
    fail_machine(status, source, "printed no stages of a step");
    return NULL;
}

static Json *measured_allreduce(Arena *arena, const char *source, const char *text, size_t length,
                                Status *status)
{
    const Json *root = parse(arena, source, text, length, status);
    if (!root)
        return NULL;
    const Json *ranks = json_member(root, "ranks"), *comm = json_member(root, "comm");
    const Json *rows = json_member(root, "rows");
    if (!ranks || !ranks->is_integer || !comm || comm->kind != JSON_STRING || !rows ||
        rows->count == 0) {
        fail_machine(status, source, "printed no sums over ranks");
        return NULL;
    }
    Json *kept = json_object(arena);
    json_put_integer(arena, kept, "ranks", ranks->integer);
    json_put_text(arena, kept, "comm", comm->text);
    Json *list = json_put_array(arena, kept, "rows");
    for (const Json *row = rows->first; row; row = row->next) {
        const Json *bytes = json_member(row, "bytes");
        const Json *time = json_find(row, "/in_place/time_us"); // a training sums in place
        if (!bytes || !bytes->is_integer || !time || time->kind != JSON_NUMBER) {
            fail_machine(status, source, "printed a sum without its time");
            return NULL;
        }
        Json *item = json_add(list, json_object(arena));
        json_put_integer(arena, item, "bytes", bytes->integer);
        json_put_decimal(arena, item, "time_us", time->text);
    }
    return kept;
}

/* --- Training --- */

static Json *milliseconds(Arena *arena, int64_t ns)
{
    return json_decimal(arena, arena_printf(arena, "%" PRId64 ".%03" PRId64, ns / NS_PER_MS,
                                            ns % NS_PER_MS / NS_PER_US));
}

static bool keep_training(Measuring *measuring, Started *started, int32_t together, Status *status)
{
    Arena *arena = measuring->arena;
    const char *out = NULL;
    size_t length = 0;
    int64_t took_ns = 0;
    if (!finish(measuring, started, &out, &length, &took_ns, status))
        return false;
    Json *run = measured_training(arena, started->path, out, length, status);
    if (!run)
        return false;
    json_put_integer(arena, run, "round", measuring->round);
    json_put_integer(arena, run, "together", together);
    json_set(arena, run, "took_ms", milliseconds(arena, took_ns));
    json_add(measuring->training, run);
    return true;
}

enum { TOGETHER_MAX = 256 };

/* Enough steps for about a second. Shorter runs are slower than a training because the process has
 * just started, and a burst of other work, which lasts for seconds, may cover all of it. */
enum { IMAGES = 800, STEPS_LEAST = 8, STEPS_MOST = 60, GPU_STEPS = 512 };

static int32_t steps_for(const Measuring *measuring, int32_t batch_size)
{
    if (measuring->is_on_gpus)
        return GPU_STEPS;
    const int32_t steps = IMAGES / batch_size;
    return steps < STEPS_LEAST ? STEPS_LEAST : steps > STEPS_MOST ? STEPS_MOST : steps;
}

static bool run_training(Measuring *measuring, const TrainingRun *run, Status *status)
{
    Arena *arena = measuring->arena;
    const char *const arguments[] = {
        "--profile",
        "--json",
        "--comm",
        "local",
        "--warmup",
        arena_printf(arena, "%d",
                     (int)(measuring->is_on_gpus ? MEASURING_GPU_WARMUP : MEASURING_WARMUP)),
        "--backend",
        measuring->plan->backend,
        "--network",
        run->network,
        "--precision",
        run->precision,
        "--batch-size",
        arena_printf(arena, "%" PRId32, run->batch_size),
        "--steps",
        arena_printf(arena, "%" PRId32, steps_for(measuring, run->batch_size)),
        NULL};
    Started started[TOGETHER_MAX] = {{0}};
    bool is_fine = true;
    int32_t count = 0;
    for (; count < run->together && is_fine; count++)
        is_fine =
            start(measuring, "trainyard-bench-training", arguments, 1, &started[count], status);
    for (int32_t i = 0; i < count; i++) {
        if (is_fine)
            is_fine = keep_training(measuring, &started[i], run->together, status);
        else
            child_signal(&started[i].child, SIGKILL); // another rank failed
        started_close(&started[i]);
    }
    count_run(measuring);
    return is_fine;
}

static bool training_round(Measuring *measuring, Status *status)
{
    const Extent *extent = measuring->extent;
    for (int32_t b = 0; extent->batches[b]; b++)
        for (int32_t n = 0; extent->networks[n]; n++)
            for (int32_t p = 0; p < PRECISIONS; p++) {
                const TrainingRun run = {extent->networks[n], precisions[p], extent->batches[b], 1};
                if (measuring->has_precision[p] && !run_training(measuring, &run, status))
                    return false;
            }
    return true;
}

/* Returns the number after `count` in the sequence 2, 4, 8, ..., `most`; 0 after `most`. */
static int32_t next_count(int32_t count, int32_t most)
{
    if (count >= most)
        return 0;
    return count == 0 ? (most < 2 ? 0 : 2) : 2 * count < most ? 2 * count : most;
}

static bool side_round(Measuring *measuring, Status *status)
{
    const Extent *extent = measuring->extent;
    const int32_t most = measuring->devices < TOGETHER_MAX ? measuring->devices : TOGETHER_MAX;
    for (int32_t count = next_count(0, most); count > 0; count = next_count(count, most))
        for (int32_t b = 0; extent->side_batches[b]; b++)
            for (int32_t p = 0; p < PRECISIONS; p++) {
                const TrainingRun run = {extent->networks[0], precisions[p],
                                         extent->side_batches[b], count};
                if (measuring->has_precision[p] && !run_training(measuring, &run, status))
                    return false;
            }
    return true;
}

/* --- Sums and the disk --- */

/* The largest number of ranks for all-reduce. Ranks can share a core, but not a GPU. */
static int32_t ranks_most(const Measuring *measuring)
{
    const int32_t least = measuring->is_on_gpus ? 1 : 4;
    if (measuring->plan->ranks > 0)
        return measuring->plan->ranks;
    return measuring->devices < least ? least : measuring->devices;
}

static bool run_allreduce(Measuring *measuring, int32_t ranks, Status *status)
{
    Arena *arena = measuring->arena;
    // --between evicts caches between two sums as a step with few images does in a training.
    const char *const arguments[] = {
        "--json", "--between", "16MiB", "-b", "1KiB", "-e", measuring->extent->largest_sum,
        "-n",     "10",        "-w",    "3",  NULL};
    Started started = {0};
    const char *out = NULL;
    size_t length = 0;
    int64_t took_ns = 0;
    Json *run = NULL;
    if (start(measuring, "trainyard-bench-allreduce", arguments, ranks, &started, status) &&
        finish(measuring, &started, &out, &length, &took_ns, status))
        run = measured_allreduce(arena, started.path, out, length, status);
    started_close(&started);
    if (run) {
        json_put_integer(arena, run, "round", measuring->round);
        json_add(measuring->allreduce, run);
    }
    count_run(measuring);
    return run != NULL;
}

/* The size of a checkpoint of the tutorial's network: weights and accumulators. */
enum { CHECKPOINT_BYTES = 10000000 };

/* Writes a file as the trainer writes a checkpoint: whole, synced, renamed. */
static bool run_disk(Measuring *measuring, Status *status)
{
    Arena *arena = measuring->arena;
    const char *path =
        arena_printf(arena, "%s/.trainyard-calibrate-%ld", measuring->plan->folder, (long)getpid());
    char *bytes = arena_alloc(arena, CHECKPOINT_BYTES);
    for (int32_t i = 0; i < CHECKPOINT_BYTES; i++)
        bytes[i] = (char)((uint32_t)i * 2654435761U >> 24); // a file system cannot compress it
    const int64_t begin_ns = machine_clock_ns();
    const bool is_fine =
        file_write(path, bytes, CHECKPOINT_BYTES, status) && file_name_settle(path, status);
    const int64_t took_ns = machine_clock_ns() - begin_ns;
    (void)!remove(path);
    if (!is_fine)
        return false;
    Json *run = json_add(measuring->disk, json_object(arena));
    json_put_integer(arena, run, "round", measuring->round);
    json_put_integer(arena, run, "bytes", CHECKPOINT_BYTES);
    json_set(arena, run, "write_ms", milliseconds(arena, took_ns));
    count_run(measuring);
    return true;
}

static bool sums_round(Measuring *measuring, Status *status)
{
    const int32_t most = ranks_most(measuring);
    for (int32_t ranks = next_count(0, most); ranks > 0; ranks = next_count(ranks, most))
        if (!run_allreduce(measuring, ranks, status))
            return false;
    return run_disk(measuring, status);
}

/* --- All rounds --- */

static int64_t count_of(const int32_t *list)
{
    int64_t count = 0;
    while (list[count])
        count++;
    return count;
}

static int64_t counts_up_to(int32_t most)
{
    int64_t counts = 0;
    for (int32_t count = next_count(0, most); count > 0; count = next_count(count, most))
        counts++;
    return counts;
}

/* The number of programs that all rounds start. */
static int64_t runs_of(const Measuring *measuring)
{
    const Extent *extent = measuring->extent;
    int64_t networks = 0;
    while (extent->networks[networks])
        networks++;
    const int64_t of_training = networks * count_of(extent->batches) +
                                count_of(extent->side_batches) * counts_up_to(measuring->devices);
    int64_t kept = 0;
    for (int32_t p = 0; p < PRECISIONS; p++)
        kept += measuring->has_precision[p];
    return measuring->rounds * (kept * of_training + counts_up_to(ranks_most(measuring)) + 1);
}

/* The processor's name in /proc/cpuinfo ("model name : AMD EPYC"), or "unknown processor". */
static const char *processor_name(Arena *arena)
{
    char line[512];
    const char *name = NULL;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !name && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            const char *text = strchr(line, ':') + 1;
            text += strspn(text, " \t");
            name = arena_strndup(arena, text, strcspn(text, "\n"));
        }
    if (file)
        fclose(file);
    return name ? name : "unknown processor";
}

static void add_facts(const Measuring *measuring, Json *root)
{
    Arena *arena = measuring->arena;
    char host[256] = "localhost", date[CIVIL_TEXT];
    const char *name = measuring->plan->name;
    gethostname(host, sizeof host - 1);
    iso_time_print((int64_t)time(NULL) * 1000, date);
    const int64_t memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    json_put_integer(arena, root, "measurements", 1);
    json_put_text(arena, root, "host", name ? name : host);
    json_put_text(arena, root, "processor", processor_name(arena));
    json_put_integer(arena, root, "cores", measuring->machine.cores);
    json_put_integer(arena, root, "gpus", measuring->is_on_gpus ? measuring->devices : 0);
    json_put_integer(arena, root, "memory_bytes", memory);
    json_put_text(arena, root, "date", arena_strndup(arena, date, 10));
    json_put_text(arena, root, "backend", measuring->plan->backend);
}

/* Starts one run per precision, which is not counted, to find the device and its precisions. Every
 * backend has the first precision. */
static bool find_device(Measuring *measuring, Problems *warnings, Status *status)
{
    for (int32_t p = 0; p < PRECISIONS; p++) {
        const TrainingRun run = {all_networks[0], precisions[p], quick_batches[0], 1};
        Status refused = {0};
        measuring->has_precision[p] = run_training(measuring, &run, &refused);
        if (measuring->has_precision[p])
            continue;
        if (p == 0 || measuring->signal != 0) {
            *status = refused;
            return false;
        }
        status_hint(problems_add(warnings, refused.code, refused.at, "%s is not measured: %s",
                                 precisions[p], refused.message),
                    "%s", refused.hint);
    }
    measuring->is_on_gpus = json_member(measuring->training->first, "device") != NULL;
    measuring->devices = measuring->is_on_gpus ? measuring->machine.gpus : measuring->machine.cores;
    measuring->training = json_array(measuring->arena);
    measuring->done = 0;
    return true;
}

static void move_items(Json *from, Json *to)
{
    for (Json *item = from->first, *next; item; item = next) {
        next = item->next;
        item->next = NULL;
        json_add(to, item);
    }
}

/* Measures the rounds, and adds those that are complete to `root`. */
static bool measure_rounds(Measuring *measuring, Json *root, Status *status)
{
    Arena *arena = measuring->arena;
    Json *training = json_array(arena), *allreduce = json_array(arena), *disk = json_array(arena);
    bool is_fine = true;
    measuring->progress = progress_start("calibrate", runs_of(measuring), false);
    while (is_fine && measuring->round < measuring->rounds) {
        measuring->training = json_array(arena);
        measuring->allreduce = json_array(arena);
        measuring->disk = json_array(arena);
        is_fine = training_round(measuring, status) && side_round(measuring, status) &&
                  sums_round(measuring, status);
        if (!is_fine)
            break;
        move_items(measuring->training, training);
        move_items(measuring->allreduce, allreduce);
        move_items(measuring->disk, disk);
        measuring->round++;
    }
    progress_end(&measuring->progress);
    json_put_integer(arena, root, "rounds", measuring->round);
    json_set(arena, root, "training", training);
    json_set(arena, root, "allreduce", allreduce);
    json_set(arena, root, "disk", disk);
    return is_fine || (measuring->signal != 0 && measuring->round > 0);
}

static Json *measure_all(Arena *arena, const MeasuringPlan *plan, int *signal, Problems *warnings,
                         Status *status)
{
    const Extent *extent = plan->is_quick ? &quick : &whole;
    Measuring measuring = {.arena = arena,
                           .plan = plan,
                           .extent = extent,
                           .rounds = plan->rounds > 0 ? plan->rounds : extent->rounds,
                           .machine = ranks_machine(arena),
                           .progress = progress_start("calibrate", 0, false),
                           .training = json_array(arena)};
    Json *root = json_object(arena);
    bool is_fine = find_device(&measuring, warnings, status);
    progress_end(&measuring.progress);
    add_facts(&measuring, root);
    if (is_fine && plan->earlier)
        is_fine = measurements_fit(plan->earlier, root, status);
    is_fine = is_fine && measure_rounds(&measuring, root, status);
    *signal = measuring.signal;
    if (!is_fine)
        return NULL;
    return plan->earlier ? measurements_join(arena, plan->earlier, root) : root;
}

Json *measure_machine(Arena *arena, const MeasuringPlan *plan, int *signal, Problems *warnings,
                      Status *status)
{
    // Blocked also between two programs: ranks_run takes what arrived meanwhile.
    sigset_t ends, before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, &before);
    Json *root = measure_all(arena, plan, signal, warnings, status);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return root;
}

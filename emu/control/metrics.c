#include "emu/control/metrics.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "emu/control/exposition.h"
#include "emu/control/state_json.h"
#include "emu/state/state_folder.h"
#include "sim/base/units.h"

enum { DECIMALS_NS = 9, DECIMALS_MS = 3, DECIMALS_MICRO = 6 };

/* Where a family's samples go. */
typedef struct {
    const Control *control;
    const World *world;
    Arena *arena; /* of this answer */
    const char *name;
    Text *out;
} Scrape;

static void add(const Scrape *scrape, int64_t value, int32_t decimals)
{
    exposition_sample(scrape->out, scrape->name, "", NULL, 0, value, decimals);
}

static void add_labelled(const Scrape *scrape, const char *label, const char *word, int64_t value)
{
    const Label labels[] = {{label, word}};
    exposition_sample(scrape->out, scrape->name, "", labels, 1, value, 0);
}

/* --- Requests --- */

static void add_requests(const Scrape *scrape)
{
    const RequestCounts *counts = scrape->control->counts;
    for (uint32_t i = 0; counts && i < counts->count; i++) {
        const OperationCount *row = &counts->operations[i];
        for (uint32_t k = 0; k < row->status_count; k++) {
            const Label labels[] = {
                {"operation", row->operation},
                {"status", arena_printf(scrape->arena, "%" PRId32, row->statuses[k].status)}};
            exposition_sample(scrape->out, scrape->name, "", labels, 2, row->statuses[k].count, 0);
        }
    }
}

static void add_histogram(const Scrape *scrape, const OperationCount *row)
{
    const Label operation = {"operation", row->operation};
    int64_t up_to = 0;
    for (int32_t i = 0; i <= REQUEST_LIMITS; i++) {
        Text limit = {0};
        if (i < REQUEST_LIMITS)
            exposition_number(&limit, request_limits_ns[i], DECIMALS_NS);
        const Label labels[] = {operation, {"le", i < REQUEST_LIMITS ? limit.data : "+Inf"}};
        exposition_sample(scrape->out, scrape->name, "_bucket", labels, 2, up_to += row->within[i],
                          0);
        text_free(&limit);
    }
    exposition_sample(scrape->out, scrape->name, "_sum", &operation, 1, row->took_ns, DECIMALS_NS);
    exposition_sample(scrape->out, scrape->name, "_count", &operation, 1, row->count, 0);
}

static void add_durations(const Scrape *scrape)
{
    const RequestCounts *counts = scrape->control->counts;
    for (uint32_t i = 0; counts && i < counts->count; i++)
        add_histogram(scrape, &counts->operations[i]);
}

/* --- The world --- */

static void add_world_timestamp(const Scrape *scrape)
{
    add(scrape, session_unix_ms(scrape->control->session), DECIMALS_MS);
}

static void add_world_elapsed(const Scrape *scrape)
{
    add(scrape, world_now_ns(scrape->world), DECIMALS_NS);
}

static void add_clock_rate(const Scrape *scrape)
{
    const Clock *clock = &scrape->control->pace->clock;
    add(scrape, clock->is_paused ? 0 : clock->rate_ppm, DECIMALS_MICRO);
}

static void add_world_events(const Scrape *scrape)
{
    add(scrape, world_events(scrape->world), 0);
}

static void add_clusters(const Scrape *scrape)
{
    add(scrape, world_living_clusters(scrape->world), 0);
}

static void add_nodes(const Scrape *scrape)
{
    int64_t counts[NODE_STATE_COUNT] = {0};
    for (uint32_t i = 0;
         (i = world_next_cluster(scrape->world, i)) < world_cluster_count(scrape->world); i++) {
        const Cluster *cluster = world_cluster(scrape->world, (ClusterId){i});
        for (int state = 0; state < NODE_STATE_COUNT; state++)
            counts[state] +=
                cluster->provisioning == PROVISIONING_DELETED ? 0 : cluster->node_count[state];
    }
    for (NodeState state = 0; state < NODE_STATE_COUNT; state++)
        add_labelled(scrape, "state", node_state_name(state), counts[state]);
}

static void add_jobs(const Scrape *scrape)
{
    for (JobState state = JOB_QUEUED; state < JOB_STATE_COUNT; state++)
        add_labelled(scrape, "state", job_state_name(state),
                     tally_jobs(scrape->control->tally, state));
}

static void add_cost(const Scrape *scrape)
{
    add(scrape, state_cost(scrape->control).micro_usd, DECIMALS_MICRO);
}

static void add_cost_rate(const Scrape *scrape)
{
    add(scrape, state_cost(scrape->control).micro_usd_per_hour, DECIMALS_MICRO);
}

/* --- The process and its disk --- */

static void add_build(const Scrape *scrape)
{
    add_labelled(scrape, "version", scrape->control->version, 1);
}

static const char *folder_of(const Scrape *scrape)
{
    return store_folder(session_store(scrape->control->session));
}

static int64_t size_of(const Scrape *scrape, StateName name)
{
    struct stat facts;
    return stat(state_path(scrape->arena, folder_of(scrape), name), &facts) == 0 ? facts.st_size
                                                                                 : 0;
}

static void add_journal_entries(const Scrape *scrape)
{
    add(scrape, session_sequence(scrape->control->session), 0);
}

static void add_journal_bytes(const Scrape *scrape)
{
    add(scrape, size_of(scrape, STATE_DATABASE) + size_of(scrape, STATE_DATABASE_LOG), 0);
}

static void add_disk_free(const Scrape *scrape)
{
    struct statvfs disk;
    if (statvfs(folder_of(scrape), &disk) == 0)
        add(scrape, (int64_t)disk.f_bavail * (int64_t)disk.f_frsize, 0);
}

static void add_cpu(const Scrape *scrape)
{
    struct timespec time;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0)
        add(scrape, (int64_t)time.tv_sec * NS_PER_S + time.tv_nsec, DECIMALS_NS);
}

/* Linux: the second number is that of resident pages (proc(5)). */
static void add_memory(const Scrape *scrape)
{
    FILE *file = fopen("/proc/self/statm", "r");
    int64_t all, resident;
    if (!file)
        return;
    if (fscanf(file, "%" SCNd64 " %" SCNd64, &all, &resident) == 2)
        add(scrape, resident * sysconf(_SC_PAGESIZE), 0);
    fclose(file);
}

static void add_descriptors(const Scrape *scrape)
{
    DIR *folder = opendir("/proc/self/fd");
    int64_t count = -3; // ".", ".." and the folder itself
    if (!folder)
        return;
    while (readdir(folder))
        count++;
    closedir(folder);
    add(scrape, count, 0);
}

/* --- All of them --- */

typedef struct {
    const char *name, *type, *help;
    void (*add)(const Scrape *scrape);
} Family;

static const Family families[] = {
    {"trainyard_build_info", "gauge", "The version of the emulator; the value is 1.", add_build},
    {"trainyard_requests_total", "counter",
     "Answered requests, by operation (emu/OPERATIONS.md) and HTTP status; status 0: cut off.",
     add_requests},
    {"trainyard_request_duration_seconds", "histogram",
     "From the head of a request to the head of its answer, in real time, by operation.",
     add_durations},
    {"trainyard_world_timestamp_seconds", "gauge",
     "Simulated time on the calendar, in seconds since 1970.", add_world_timestamp},
    {"trainyard_world_elapsed_seconds", "gauge", "Simulated time since the start of the session.",
     add_world_elapsed},
    {"trainyard_clock_rate", "gauge",
     "Simulated seconds that pass in a real second; 0: paused, or moved by requests.",
     add_clock_rate},
    {"trainyard_world_events_total", "counter",
     "Events of the simulated world, those of a replay included.", add_world_events},
    {"trainyard_clusters", "gauge", "Clusters that exist.", add_clusters},
    {"trainyard_nodes", "gauge", "Nodes of all clusters, by state.", add_nodes},
    {"trainyard_jobs", "gauge", "Jobs that are not deleted, by state.", add_jobs},
    {"trainyard_cost_usd", "gauge", "Cost of nodes and file servers, if they were released now.",
     add_cost},
    {"trainyard_cost_usd_per_hour", "gauge",
     "Cost of another simulated hour of the present nodes and file servers.", add_cost_rate},
    {"trainyard_journal_entries", "gauge", "Commands and notes in the journal.",
     add_journal_entries},
    {"trainyard_journal_bytes", "gauge",
     "Size of the database that has the journal and the tables of files, and of its log.",
     add_journal_bytes},
    {"trainyard_state_disk_free_bytes", "gauge", "Free space where the state folder is.",
     add_disk_free},
    {"process_cpu_seconds_total", "counter", "Processor time of this process.", add_cpu},
    {"process_resident_memory_bytes", "gauge", "Memory of this process.", add_memory},
    {"process_open_fds", "gauge", "Open file descriptors of this process.", add_descriptors},
};

void metrics_print(const Control *control, Text *out)
{
    Arena *arena = arena_create();
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const Family *family = &families[i];
        const Scrape scrape = {.control = control,
                               .world = session_world(control->session),
                               .arena = arena,
                               .name = family->name,
                               .out = out};
        exposition_family(out, family->name, family->type, family->help);
        family->add(&scrape);
    }
    arena_destroy(arena);
}

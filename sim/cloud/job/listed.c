#include "sim/cloud/job/listed.h"

#include <string.h>

#include "sim/base/array.h"
#include "sim/base/invariant.h"
#include "sim/base/name_table.h"
#include "sim/cloud/job/demand.h"
#include "sim/cloud/job/job_name.h"
#include "sim/cloud/job/scheduler.h"
#include "sim/cloud/job/tables.h"
#include "sim/model/bounded.h"

enum { NO_ROW = -1 };

/* How far the list of a workload has progressed. */
typedef struct ListProgress {
    uint64_t address;     /* of its jobs' random draws */
    int64_t next_row;     /* that arrives at its own time; the number of rows: none */
    uint32_t experiment;  /* the row of its jobs' container ... */
    ClusterId *clusters;  /* ... and [column's word] their clusters; ID_NONE: there is none ... */
    int32_t *queues;      /* [column's word * (queues + 1) + 1 + queue] the index of each of the
                             list's queues in the cluster, the first: of none; QUEUE_UNKNOWN ... */
    uint64_t known_above; /* ... 1 + names_losses when both were last looked up */
    uint32_t *owners;     /* [user] see listed_owner; NULL: the list has no users */
    int32_t *followers;   /* [row] the last row that waits for it; NULL: no row waits for another */
    int32_t *before;      /* [row] the row that waits for the same one and precedes it */
} ListProgress;

static const Workload *workload_of(const Jobs *jobs, uint32_t index)
{
    return &jobs->scenario->workloads[index];
}

/* --- Rows --- */

const JobList *job_list_of(const Scenario *scenario, const Job *job)
{
    return job->workload >= 0 ? scenario->workloads[job->workload].list : NULL;
}

int32_t job_priority(const Scenario *scenario, const Job *job)
{
    const JobList *list = job_list_of(scenario, job);
    return list != NULL && list->priority != NULL ? list->priority[job->row]
                                                  : (int32_t)job->spec->priority;
}

/* The time that the owner asked for; JOB_LIST_UNKNOWN: none is known. */
static int64_t requested_ns(const JobList *list, const Job *job)
{
    return list->requested_ns != NULL ? list->requested_ns[job->row] : JOB_LIST_UNKNOWN;
}

int64_t job_expected_ns(const Scenario *scenario, const Job *job)
{
    const JobList *list = job_list_of(scenario, job);
    if (list == NULL)
        return job->spec->expected_ns > 0 ? job->spec->expected_ns : job->spec->max_wall_clock_ns;
    const int64_t requested = requested_ns(list, job);
    return requested != JOB_LIST_UNKNOWN ? requested : list->run_ns[job->row];
}

const KindSpeeds *job_speeds(const Scenario *scenario, const Job *job)
{
    return job_list_of(scenario, job) != NULL
               ? workload_speeds(&scenario->workloads[job->workload], job->row)
               : job->spec->speeds;
}

int64_t job_wall_clock_max_ns(const Scenario *scenario, const Job *job)
{
    const JobList *list = job_list_of(scenario, job);
    const bool stops = list != NULL && scenario->workloads[job->workload].stops_at_requested;
    return stops && requested_ns(list, job) != JOB_LIST_UNKNOWN ? requested_ns(list, job)
                                                                : job->spec->max_wall_clock_ns;
}

uint32_t *listed_owner(Jobs *jobs, const Job *job)
{
    const JobList *list = job_list_of(jobs->scenario, job);
    const int32_t user =
        list != NULL && list->user != NULL ? list->user[job->row] : JOB_LIST_UNKNOWN;
    return user != JOB_LIST_UNKNOWN ? &jobs->lists[job->workload].owners[user] : NULL;
}

/* --- Where --- */

static ResourcePath cluster_path(const Workload *workload, int32_t word)
{
    return workload->cluster_of_row != NULL ? workload->clusters[word] : workload->cluster;
}

static int32_t path_count(const Workload *workload)
{
    return workload->cluster_of_row != NULL ? workload->cluster_count : 1;
}

static int32_t word_of(const Workload *workload, int64_t row)
{
    return workload->cluster_of_row != NULL ? workload->cluster_of_row[row] : 0;
}

/* The name of the queue in which jobs of the list's `queue` wait; NULL: none is known. */
static const char *queue_name(const Workload *workload, int32_t queue)
{
    const char *of_all = workload->specs[0]->queue;
    if (of_all != NULL || queue == JOB_LIST_UNKNOWN)
        return of_all;
    return workload->list->queues.texts[queue];
}

/* Finds the queues of the list in the cluster of a column's word. */
static void find_queues(const Workload *workload, const Cluster *cluster, int32_t *queues)
{
    for (int32_t q = JOB_LIST_UNKNOWN; q < workload->list->queues.count; q++)
        queues[1 + q] = cluster_spec_queue(cluster->spec, queue_name(workload, q));
}

/* The index of the row's queue in its cluster; QUEUE_UNKNOWN. */
static int32_t queue_of_row(const Jobs *jobs, uint32_t index, int64_t row)
{
    const Workload *workload = workload_of(jobs, index);
    const JobList *list = workload->list;
    const int32_t queue = list->queue != NULL ? list->queue[row] : JOB_LIST_UNKNOWN;
    _Static_assert(JOB_LIST_UNKNOWN == -1, "the first index is that of no queue");
    return jobs->lists[index].queues[word_of(workload, row) * (list->queues.count + 1) + 1 + queue];
}

static bool has_queue(const Jobs *jobs, uint32_t index, int64_t row, const Cluster *cluster,
                      Status *status)
{
    const Workload *workload = workload_of(jobs, index);
    const JobList *list = workload->list;
    if (queue_of_row(jobs, index, row) != QUEUE_UNKNOWN)
        return true;
    const int32_t queue = list->queue != NULL ? list->queue[row] : JOB_LIST_UNKNOWN;
    return job_has_queue(cluster, queue_name(workload, queue), (Place){0}, status);
}

/* Looks up clusters and experiment again if any resource was created or has gone since. */
static bool find_places(Jobs *jobs, uint32_t index, const Command *command, Status *status)
{
    const Workload *workload = workload_of(jobs, index);
    ListProgress *progress = &jobs->lists[index];
    if (!container_check_open(jobs->resources, command, status))
        return false;
    progress->experiment = resource_index(jobs->resources, COMMAND_EXPERIMENT_CREATE,
                                          (ResourcePath){.group = workload->path.group,
                                                         .workspace = workload->path.workspace,
                                                         .name = workload->path.experiment});
    bool has_all = true;
    for (int32_t w = 0; w < path_count(workload); w++) {
        const Cluster *cluster = cluster_find(jobs->clusters, cluster_path(workload, w));
        progress->clusters[w] = cluster != NULL ? cluster->id : (ClusterId){ID_NONE};
        if (cluster != NULL)
            find_queues(workload, cluster,
                        progress->queues + w * (workload->list->queues.count + 1));
        has_all &= cluster != NULL;
    }
    progress->known_above = has_all ? names_losses(jobs->names) + 1 : 0;
    return true;
}

/* The cluster of the row; NULL with a status: it cannot be submitted. */
static Cluster *find_cluster(Jobs *jobs, uint32_t index, int64_t row, Status *status)
{
    const Workload *workload = workload_of(jobs, index);
    const ListProgress *progress = &jobs->lists[index];
    const int32_t word = word_of(workload, row);
    const Command command = {.kind = COMMAND_JOB_CREATE, .path = workload->path};
    if (progress->known_above != names_losses(jobs->names) + 1 &&
        !find_places(jobs, index, &command, status))
        return NULL;
    if (progress->clusters[word].index == ID_NONE) {
        (void)command_not_found(&command, "cluster", cluster_path(workload, word).name, status);
        return NULL;
    }
    Cluster *cluster = cluster_row(jobs->clusters, progress->clusters[word]);
    return cluster_check_not_deleting(cluster, command_place(&command), status) ? cluster : NULL;
}

/* --- Submission --- */

static Job *new_job(Jobs *jobs, uint32_t index, int64_t row, const Cluster *cluster,
                    JobRequest request)
{
    const Workload *workload = workload_of(jobs, index);
    const int64_t now_ns = jobs->engine->now_ns;
    Job *job = jobs->spare_jobs;
    if (job != NULL)
        jobs->spare_jobs = job->next_spare;
    else
        job = ARENA_NEW(jobs->arena, Job);
    *job = (Job){.id = {row_table_add(jobs->arena, &jobs->rows, job)},
                 .cluster = cluster->id,
                 .path = workload->path,
                 .spec = workload->specs[0],
                 .request = request,
                 .address = jobs->lists[index].address ^
                            ((uint64_t)row + 1) * UINT64_C(0x9e3779b97f4a7c15),
                 .provisioning = PROVISIONING_SUCCEEDED,
                 .provisioning_since_ns = now_ns,
                 .state_since_ns = now_ns,
                 .created_ns = now_ns,
                 .recorded_ns = now_ns,
                 .started_ns = INT64_MAX,
                 .ended_ns = INT64_MAX,
                 .exit_code = -1,
                 .experiment = jobs->lists[index].experiment,
                 .workload = (int32_t)index,
                 .queue = queue_of_row(jobs, index, row),
                 .row = (int32_t)row};
    if (!jobs->forgets_ended)
        job_make_name(jobs, job);
    return job;
}

static void refuse(Jobs *jobs, uint32_t index, int64_t row, const Status *status)
{
    if (!recorder_takes(jobs->recorder, TRACE_COMMAND_REFUSED))
        return;
    TraceRecord *record = recorder_begin(jobs->recorder, TRACE_COMMAND_REFUSED);
    record->command_refused.ordinal = -1; // not a command of the list
    record->name = arena_printf(jobs->arena, "%s %s: %s", command_name(COMMAND_JOB_CREATE),
                                workload_job_name(workload_of(jobs, index), row, jobs->arena),
                                status->message);
    recorder_emit(jobs->recorder);
}

JobRequest listed_request(const Jobs *jobs, uint32_t index, int64_t row, const Cluster *cluster)
{
    const Workload *workload = workload_of(jobs, index);
    JobRequest request = workload_request(workload, row, cluster_gpus_per_node(cluster));
    request.kinds =
        workload_kinds(workload, row, cluster_spec_all_kinds(cluster->spec)) & KIND_SET_ALL;
    return request;
}

static void rows_follow(Jobs *jobs, uint32_t index, int64_t row);

static void submit(Jobs *jobs, uint32_t index, int64_t row)
{
    Status status; // of the refusal, if there is one
    Cluster *cluster = find_cluster(jobs, index, row, &status);
    const JobRequest request =
        cluster != NULL ? listed_request(jobs, index, row, cluster) : (JobRequest){0};
    if (cluster == NULL || !has_queue(jobs, index, row, cluster, &status) ||
        !job_can_be_submitted(jobs, cluster, queue_of_row(jobs, index, row), request, (Place){0},
                              &status)) {
        refuse(jobs, index, row, &status);
        rows_follow(jobs, index, row);
        return;
    }
    Job *job = new_job(jobs, index, row, cluster, request);
    container_counts_jobs(jobs->resources, job->experiment, 1);
    job_set_state(jobs, job, JOB_QUEUED, (JobReason){0});
    demand_begins(jobs, job);
    job_moment(jobs, job, MOMENT_JOB_SUBMITTED, 0);
    job_joins_queue(jobs, job);
}

/* --- When --- */

static bool waits_for_another(const JobList *list, int64_t row)
{
    return list->after_job != NULL && list->after_job[row] != JOB_LIST_UNKNOWN;
}

/* When the row arrives at its own time; INT64_MAX: never. */
static int64_t arrival_ns(const Workload *workload, int64_t row)
{
    return bounded_add(workload->begin_ns, workload->list->submit_ns[row]);
}

/* Pushes the arrival of the next row that arrives at its own time. */
static void push_next(Jobs *jobs, uint32_t index)
{
    const Workload *workload = workload_of(jobs, index);
    const JobList *list = workload->list;
    int64_t *next = &jobs->lists[index].next_row;
    while (*next < list->count && waits_for_another(list, *next))
        ++*next;
    if (*next == list->count)
        return;
    engine_push(jobs->engine, arrival_ns(workload, *next) - jobs->engine->now_ns, EVENT_WORKLOAD,
                index, 0, 0);
}

/* Links each row that waits for another with it. */
static void link_followers(Jobs *jobs, ListProgress *progress, const JobList *list)
{
    if (list->after_job == NULL)
        return;
    progress->followers = ARENA_ARRAY(jobs->arena, int32_t, list->count);
    progress->before = ARENA_ARRAY(jobs->arena, int32_t, list->count);
    for (int64_t row = 0; row < list->count; row++)
        progress->followers[row] = progress->before[row] = NO_ROW;
    // From the last row, so that the first of several followers is the head of their list.
    for (int64_t row = list->count - 1; row >= 0; row--) {
        const int64_t first = list->after_job[row];
        if (!waits_for_another(list, row))
            continue;
        invariant(first >= 0 && first < row);
        progress->before[row] = progress->followers[first];
        progress->followers[first] = (int32_t)row;
    }
}

/* Room for the jobs of all lists. */
static void reserve_rows(Jobs *jobs)
{
    uint32_t rows = 0;
    for (int32_t i = 0; i < jobs->scenario->workload_count; i++) {
        const JobList *list = workload_of(jobs, (uint32_t)i)->list;
        rows += list != NULL ? (uint32_t)list->count : 0;
    }
    row_table_reserve(jobs->arena, &jobs->rows, rows);
    jobs->forgotten_capacity = rows;
    jobs->forgotten = ARENA_ARRAY(jobs->arena, ListedRow, rows);
}

void listed_prepare(Jobs *jobs, uint32_t index)
{
    const Workload *workload = workload_of(jobs, index);
    const int32_t count = jobs->scenario->workload_count;
    if (jobs->lists == NULL) {
        jobs->lists = ARENA_ARRAY(jobs->arena, ListProgress, count);
        reserve_rows(jobs);
    }
    jobs->lists[index] = (ListProgress){
        .address = name_hash(workload->name),
        .clusters = ARENA_ARRAY(jobs->arena, ClusterId, path_count(workload)),
        .queues = ARENA_ARRAY(jobs->arena, int32_t,
                              (int64_t)path_count(workload) * (workload->list->queues.count + 1)),
        .owners = workload->list->user != NULL
                      ? ARENA_ARRAY(jobs->arena, uint32_t, workload->list->users.count)
                      : NULL};
    invariant(workload->list->count <= INT32_MAX && workload->spec_count == 1);
    link_followers(jobs, &jobs->lists[index], workload->list);
    push_next(jobs, index);
}

void listed_arrive(Jobs *jobs, uint32_t index)
{
    const Workload *workload = workload_of(jobs, index);
    const JobList *list = workload->list;
    int64_t *next = &jobs->lists[index].next_row;
    const int64_t now_ns = jobs->engine->now_ns;
    for (; *next < list->count && arrival_ns(workload, *next) <= now_ns; ++*next)
        if (!waits_for_another(list, *next))
            submit(jobs, index, *next);
    push_next(jobs, index);
}

/* Rows that wait for `row` become due after their think times. */
static void rows_follow(Jobs *jobs, uint32_t index, int64_t row)
{
    const JobList *list = workload_of(jobs, index)->list;
    const ListProgress *progress = &jobs->lists[index];
    if (progress->followers == NULL)
        return;
    for (int32_t next = progress->followers[row]; next != NO_ROW; next = progress->before[next]) {
        const int64_t think_ns = list->think_ns != NULL ? list->think_ns[next] : 0;
        engine_push(jobs->engine, think_ns > 0 ? think_ns : 0, EVENT_LISTED_FOLLOWS, index, 0,
                    (uint32_t)next);
    }
}

/* Forgets a job that has ended. It is no longer in its container. */
static void forget(Jobs *jobs, Job *job)
{
    jobs->forgotten = array_room(jobs->arena, jobs->forgotten, job->id.index + 1,
                                 &jobs->forgotten_capacity, sizeof *jobs->forgotten);
    jobs->forgotten[job->id.index] = (ListedRow){.workload = job->workload, .row = job->row};
    container_counts_jobs(jobs->resources, job->experiment, -1);
    row_table_clear(&jobs->rows, job->id.index);
    if (job->request.nodes <= SPARE_NODES_MAX) {
        job->attempt->next_spare = jobs->spare_attempts[job->request.nodes];
        jobs->spare_attempts[job->request.nodes] = job->attempt;
    }
    job->next_spare = jobs->spare_jobs;
    jobs->spare_jobs = job;
}

void listed_ended(Jobs *jobs, Job *job)
{
    rows_follow(jobs, (uint32_t)job->workload, job->row);
    // A job that never started may have a pending JOB_ELIGIBLE. A job that is being deleted is
    // needed until it is gone. Names in conditions may be those of any job.
    if (jobs->forgets_ended && job->starts > 0 && job->stop_cause != CAUSE_DELETION &&
        !subjects_are_asked(jobs->subjects))
        forget(jobs, job);
}

void listed_follows(Jobs *jobs, uint32_t index, uint32_t row)
{
    submit(jobs, index, row);
}

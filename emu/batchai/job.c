/* Jobs: bodies checked by the tables of job.json, answers made of what was asked for and what the
 * world says now. */
#include <inttypes.h>
#include <string.h>

#include "emu/batchai/batchai.h"
#include "emu/batchai/operations.h"
#include "sim/scenario/format/types.h"

static const Job *job_of(const Emulator *emulator, const Record *record)
{
    return world_job(session_world(emulator->session), record->job);
}

/* --- States --- */

/* `az batchai job file stream` fetches what is new of a file, asks for the job, and stops when it
 * has completed: what was written between the two would never be printed. So, on a clock that runs
 * by itself, a job's end is told a second and a half of the machine's time late; but at once to who
 * has told the clock what to do since. Where time jumps on request (auto) it stands still in
 * between. */
static bool is_end_told(const Emulator *emulator, const Job *job)
{
    const Clock *clock = &emulator->clock;
    const int64_t late_ms = 1500;
    if (job->ended_ns == INT64_MAX)
        return false;
    if (job->ended_ns <= emulator->clock_told_ns || clock->is_paused ||
        (clock->kind != CLOCK_REAL && clock->kind != CLOCK_RATE))
        return true;
    // rate_ppm: ns of the world for each ms of the machine.
    return session_now_ns(emulator->session) - job->ended_ns >= late_ms * clock->rate_ppm;
}

static JobState told_state(const Emulator *emulator, const Job *job)
{
    const bool is_over = job->state == JOB_SUCCEEDED || job->state == JOB_FAILED;
    const bool has_run = job->nodes; // to its end: one that ended in the queue has none
    return is_over && has_run && !is_end_told(emulator, job) ? JOB_RUNNING : job->state;
}

static void put_errors(Arena *arena, Json *info, const Job *job)
{
    if (!job->error_code)
        return;
    Json *errors = json_put_array(arena, info, "errors");
    Json *error = json_add(errors, json_object(arena));
    arm_put_text(arena, error, "code", job->error_code);
    arm_put_text(arena, error, "message", job->error_message);
}

/* As recorded: one that was terminated has no exit code, and one that was terminated in the queue
 * has a start all the same. Where a job ended without a code of its own in another way, which
 * nobody recorded, it has one: `az batchai job wait` ends with it. */
static void put_exit_code(Arena *arena, Json *info, const Job *job)
{
    const int32_t no_code_of_its_own = 1;
    if (job->exit_code >= 0 || job->stop_cause == CAUSE_NONE)
        arm_put_number(arena, info, "exitCode",
                       job->exit_code >= 0 ? job->exit_code : no_code_of_its_own);
}

/* NULL for a job that waits in the queue. */
static Json *execution_info(const Emulator *emulator, Arena *arena, const Job *job, JobState state)
{
    if (state == JOB_QUEUED || job->started_ns == INT64_MAX)
        return NULL;
    Json *info = json_object(arena);
    arm_put_time(emulator, arena, info, "startTime", job->started_ns);
    if (state != JOB_SUCCEEDED && state != JOB_FAILED)
        return info;
    arm_put_time(emulator, arena, info, "endTime", job->ended_ns);
    put_exit_code(arena, info, job);
    put_errors(arena, info, job);
    return info;
}

/* --- Bodies --- */

/* ISO 8601 in whole days or else seconds: "P7D", "PT5400S". */
static const char *iso_duration(Arena *arena, int64_t ns)
{
    const int64_t s = ns / 1000000000, day_s = 86400;
    return s % day_s == 0 ? arena_printf(arena, "P%" PRId64 "D", s / day_s)
                          : arena_printf(arena, "PT%" PRId64 "S", s);
}

/* Those of `kept`; `wall_clock_ns` where it has none. */
static Json *constraints(Arena *arena, const Json *kept, int64_t wall_clock_ns)
{
    Json *body = arm_kept(arena, kept, "constraints");
    if (body && json_member(body, "maxWallClockTime"))
        return body;
    body = json_object(arena);
    arm_put_text(arena, body, "maxWallClockTime", iso_duration(arena, wall_clock_ns));
    return body;
}

static void put_toolkit(Arena *arena, Json *properties, const Record *record, const Job *job)
{
    arm_put_text(arena, properties, "toolType", job->spec->tool);
    for (int32_t i = 0; i < TOOLKIT_COUNT; i++)
        arm_put(arena, properties, toolkit_key((Toolkit)i),
                arm_kept(arena, record->kept, toolkit_key((Toolkit)i)));
}

static void put_states(const Emulator *emulator, Arena *arena, Json *properties, const Job *job)
{
    const JobState state = told_state(emulator, job);
    arm_put_time(emulator, arena, properties, "creationTime", job->created_ns);
    arm_put_text(arena, properties, "provisioningState",
                 provisioning_state_name(job->provisioning));
    arm_put_time(emulator, arena, properties, "provisioningStateTransitionTime",
                 job->provisioning_since_ns);
    arm_put_text(arena, properties, "executionState", job_state_name(state));
    arm_put_time(emulator, arena, properties, "executionStateTransitionTime",
                 state == job->state ? job->state_since_ns : job->started_ns);
    arm_put(arena, properties, "executionInfo", execution_info(emulator, arena, job, state));
}

static bool is_settled(const Emulator *emulator, const Job *job)
{
    const JobState state = told_state(emulator, job);
    return job->provisioning == PROVISIONING_SUCCEEDED &&
           (state == JOB_SUCCEEDED || state == JOB_FAILED);
}

Json *job_show(Emulator *emulator, const HttpRequest *request, const Record *record)
{
    static const char *const priorities[] = {"low", "normal", "high"};
    _Static_assert(sizeof priorities / sizeof *priorities == PRIORITY_COUNT, "every priority");
    Arena *arena = request->arena;
    const Job *job = job_of(emulator, record);
    const Json *kept = record->kept;
    Json *body = arm_resource(emulator, arena, record);
    Json *properties = json_put_object(arena, body, "properties");
    arm_put_text(arena, properties, "experimentName", record->path.experiment);
    arm_put_text(arena, properties, "schedulingPriority", priorities[job->spec->priority]);
    Json *cluster = json_put_object(arena, properties, "cluster");
    arm_put_text(arena, cluster, "id",
                 arm_id(emulator, arena, RECORD_CLUSTER,
                        world_cluster(session_world(emulator->session), job->cluster)->path));
    arm_put_text(arena, properties, "jobOutputDirectoryPathSegment",
                 job_output_segment(session_scenario(emulator->session), job, arena));
    arm_put_number(arena, properties, "nodeCount", job->spec->nodes);
    arm_put(arena, properties, "mountVolumes", arm_kept(arena, kept, "mountVolumes"));
    arm_put(arena, properties, "containerSettings", arm_kept(arena, kept, "containerSettings"));
    put_toolkit(arena, properties, record, job);
    arm_put(arena, properties, "jobPreparation", arm_kept(arena, kept, "jobPreparation"));
    arm_put(arena, properties, "stdOutErrPathPrefix", arm_kept(arena, kept, "stdOutErrPathPrefix"));
    arm_put(arena, properties, "inputDirectories", arm_kept(arena, kept, "inputDirectories"));
    arm_put(arena, properties, "outputDirectories", arm_kept(arena, kept, "outputDirectories"));
    arm_put(arena, properties, "environmentVariables",
            arm_kept(arena, kept, "environmentVariables"));
    arm_put(arena, properties, "secrets", arm_kept(arena, kept, "secrets"));
    json_set(arena, properties, "constraints",
             constraints(arena, kept, job->spec->max_wall_clock_ns));
    put_states(emulator, arena, properties, job);
    if (request->method == HTTP_GET && !is_settled(emulator, job))
        emulator_polled(emulator);
    return body;
}

/* --- Requests --- */

/* As many processes as nodes, where the toolkit starts processes and the body does not say. */
static void fill_processes(Arena *arena, Json *kept, const JobText *text)
{
    for (const Field *field = job_type.fields; field->name; field++) {
        Json *settings = json_member(kept, field->name);
        if (settings && settings->kind == JSON_OBJECT && field->type &&
            field_find(field->type, "processCount") != NULL &&
            !json_member(settings, "processCount"))
            arm_put_number(arena, settings, "processCount", text->nodes.value);
    }
}

/* The job's cluster; NULL after answering what is wrong with its id. */
static const Record *find_cluster(const Emulator *emulator, const HttpRequest *request,
                                  const JobText *text, HttpResponse *response)
{
    ResourcePath path;
    if (!text->cluster ||
        !arm_id_read(emulator, request->arena, text->cluster->id.value, RECORD_CLUSTER, &path)) {
        arm_error(request, response, 400, "InvalidRequestContent",
                  "properties.cluster.id: expected the id of a cluster of this subscription");
        return NULL;
    }
    return arm_find(emulator, request, response, RECORD_CLUSTER, path);
}

/* What is kept of a body: as of a cluster's, but for the longest time that the job may run, whose
 * default is the catalogue's. */
static Json *kept_job(const Emulator *emulator, Arena *arena, const JobText *text,
                      const Record *cluster)
{
    Json *kept = batchai_echo(arena, &job_type, text->node);
    fill_processes(arena, kept, text);
    json_put_text(arena, json_member(kept, "cluster"), "id",
                  arm_id(emulator, arena, RECORD_CLUSTER, cluster->path));
    batchai_fill_mounts(emulator, arena, json_member(kept, "mountVolumes"));
    return batchai_echo(arena, &job_type, kept); // in order
}

static JobExecution execution_of(const EmulatorSettings *settings)
{
    if (settings->runs_jobs)
        return settings->hands_off ? EXECUTION_REAL : EXECUTION_COMMAND;
    return settings->hands_off ? EXECUTION_TRAINING : EXECUTION_EMULATED;
}

void jobs_create(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                 HttpResponse *response)
{
    Arena *arena = request->arena;
    ResourcePath path = batchai_path(match);
    const Json *body;
    const JobText *text = batchai_properties(request, RECORD_JOB, &job_type, &body, response);
    if (!text || !arm_name_is_fine(request, response, path.name) ||
        !arm_has_parents(emulator, request, response, &path))
        return;
    const Record *cluster = find_cluster(emulator, request, text, response);
    if (!cluster)
        return;
    Json *kept = kept_job(emulator, arena, text, cluster);
    const Record *record = session_find(emulator->session, RECORD_JOB, path);
    if (record) {
        const ServiceModel *service = &session_scenario(emulator->session)->service;
        json_set(arena, kept, "constraints",
                 constraints(arena, kept, service->default_max_wall_clock_ns));
        batchai_exists(emulator, request, record, &job_type, kept, job_show, response);
        return;
    }
    if (!batchai_has_secrets(request, &text->secrets, body, response) ||
        !batchai_has_file_servers(emulator, request, text->mounts, body, response))
        return;
    Json *command = batchai_command(arena, COMMAND_JOB_CREATE, path);
    Json *config = json_put_object(arena, command, "config");
    json_set(arena, config, "properties", kept);
    const JobExecution execution = execution_of(&emulator->settings);
    if (execution != EXECUTION_EMULATED)
        arm_put_text(arena, command, "execution", job_execution_word(execution));
    if (batchai_do(emulator, request, body, command, NULL, response))
        operation_answer(emulator, request, OPERATION_CREATE,
                         session_find(emulator->session, RECORD_JOB, path), response);
}

void jobs_get(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
              HttpResponse *response)
{
    const Record *record = arm_find(emulator, request, response, RECORD_JOB, batchai_path(match));
    if (record)
        batchai_answer(emulator, request, record, job_show, response);
}

void jobs_delete(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                 HttpResponse *response)
{
    batchai_delete(emulator, request, RECORD_JOB, COMMAND_JOB_DELETE, batchai_path(match),
                   response);
}

/* As recorded: a job that has completed already is left alone, and the answer is 200. */
void jobs_terminate(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                    HttpResponse *response)
{
    const Record *record = arm_find(emulator, request, response, RECORD_JOB, batchai_path(match));
    if (!record)
        return;
    if (job_of(emulator, record)->ended_ns != INT64_MAX) {
        response->status = 200;
        return;
    }
    Json *command = batchai_command(request->arena, COMMAND_JOB_TERMINATE, record->path);
    if (batchai_do(emulator, request, NULL, command, NULL, response))
        operation_answer(emulator, request, OPERATION_TERMINATE, record, response);
}

void jobs_list(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
               HttpResponse *response)
{
    ResourcePath scope = {
        .group = match->parts[1], .workspace = match->parts[2], .experiment = match->parts[3]};
    if (arm_has_parents(emulator, request, response, &scope))
        arm_list(emulator, request, response, RECORD_JOB, scope, job_show);
}

void jobs_list_logins(Emulator *emulator, const HttpRequest *request, const RouteMatch *match,
                      HttpResponse *response)
{
    const Record *record = arm_find(emulator, request, response, RECORD_JOB, batchai_path(match));
    if (!record)
        return;
    const Job *job = job_of(emulator, record);
    batchai_answer_logins(emulator, request, job->nodes, job_is_active(job) ? job->spec->nodes : 0,
                          response);
}

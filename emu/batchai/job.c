#include "emu/batchai/job.h"

#include <inttypes.h>
#include <string.h>

#include "emu/arm/id.h"
#include "emu/batchai/batchai.h"
#include "emu/batchai/file_server.h"
#include "emu/batchai/operations.h"
#include "sim/cloud/job/job_name.h"
#include "sim/scenario/format/types.h"

static const Job *job_of(const ArmCall *call, const Record *record)
{
    return world_job(session_world(call->session), record->job);
}

/* --- States --- */

/* `az batchai job file stream` fetches the new part of a file, polls the job, and stops once the
 * job has completed: output written between the two requests would never be printed. So a clock
 * that runs continuously reports a job's end 1.5 s of machine time late. A client that has
 * controlled the clock after the end sees it at once. With the clock "auto" simulated time stands
 * still between two requests, so that no delay is needed. */
static bool is_end_reported(const ArmCall *call, const Job *job)
{
    const Clock *clock = &call->arm->pace->clock;
    const int64_t late_ms = 1500;
    if (job->ended_ns == INT64_MAX)
        return false;
    if (job->ended_ns <= call->arm->pace->controlled_ns || clock->is_paused ||
        (clock->kind != CLOCK_REAL && clock->kind != CLOCK_RATE))
        return true;
    // rate_ppm is also simulated ns per ms of the machine.
    return session_now_ns(call->session) - job->ended_ns >= late_ms * clock->rate_ppm;
}

static JobState reported_state(const ArmCall *call, const Job *job)
{
    const bool is_over = job->state == JOB_SUCCEEDED || job->state == JOB_FAILED;
    const bool has_run = job->nodes; // a job that ended in the queue has no nodes
    return is_over && has_run && !is_end_reported(call, job) ? JOB_RUNNING : job->state;
}

static void put_errors(Arena *arena, Json *info, const Job *job)
{
    if (!job->error_code)
        return;
    Json *errors = json_put_array(arena, info, "errors");
    Json *error = json_add(errors, json_object(arena));
    json_put_text(arena, error, "code", job->error_code);
    json_put_text(arena, error, "message", job->error_message);
}

/* As recorded, a terminated job has no exit code, and a job that was terminated in the queue has a
 * start time. Other jobs without an exit code are not recorded; they report 1, with which `az
 * batchai job wait` then exits. */
static void put_exit_code(Arena *arena, Json *info, const Job *job)
{
    const int32_t no_code_of_its_own = 1;
    if (job->exit_code >= 0 || job->stop_cause == CAUSE_NONE)
        json_put_integer(arena, info, "exitCode",
                         job->exit_code >= 0 ? job->exit_code : no_code_of_its_own);
}

/* NULL for a job in the queue. */
static Json *execution_info(const ArmCall *call, const Job *job, JobState state)
{
    Arena *arena = call->arena;
    if (state == JOB_QUEUED || job->started_ns == INT64_MAX)
        return NULL;
    Json *info = json_object(arena);
    arm_put_time(call, info, "startTime", job->started_ns);
    if (state != JOB_SUCCEEDED && state != JOB_FAILED)
        return info;
    arm_put_time(call, info, "endTime", job->ended_ns);
    put_exit_code(arena, info, job);
    put_errors(arena, info, job);
    return info;
}

/* --- Bodies --- */

/* ISO 8601 in whole days, or else in seconds: "P7D", "PT5400S". */
static const char *iso_duration(Arena *arena, int64_t ns)
{
    const int64_t s = ns / 1000000000, day_s = 86400;
    return s % day_s == 0 ? arena_printf(arena, "P%" PRId64 "D", s / day_s)
                          : arena_printf(arena, "PT%" PRId64 "S", s);
}

/* The constraints in `kept`, or else `wall_clock_ns`. */
static Json *constraints(Arena *arena, const Json *kept, int64_t wall_clock_ns)
{
    Json *body = arm_kept(arena, kept, "constraints");
    if (body && json_member(body, "maxWallClockTime"))
        return body;
    body = json_object(arena);
    json_put_text(arena, body, "maxWallClockTime", iso_duration(arena, wall_clock_ns));
    return body;
}

static void put_toolkit(Arena *arena, Json *properties, const Record *record, const Job *job)
{
    json_put_text(arena, properties, "toolType", job->spec->tool);
    for (int32_t i = 0; i < TOOLKIT_COUNT; i++)
        arm_put_kept(arena, properties, record_kept(record), toolkit_key((Toolkit)i));
}

/* The states of the record that was stored when the job was created. */
static void put_stored_states(const ArmCall *call, Json *properties, const Job *job)
{
    Arena *arena = call->arena;
    arm_put_time(call, properties, "creationTime", job->created_ns);
    json_put_text(arena, properties, "provisioningState",
                  provisioning_state_name(job->provisioning));
    arm_put_time(call, properties, "provisioningStateTransitionTime", job->provisioning_since_ns);
    json_put_text(arena, properties, "executionState", job_state_name(JOB_QUEUED));
    arm_put_time(call, properties, "executionStateTransitionTime", job->created_ns);
}

static void put_states(const ArmCall *call, Json *properties, const Job *job)
{
    Arena *arena = call->arena;
    const JobState state = reported_state(call, job);
    arm_put_time(call, properties, "creationTime", job->created_ns);
    json_put_text(arena, properties, "provisioningState",
                  provisioning_state_name(job->provisioning));
    arm_put_time(call, properties, "provisioningStateTransitionTime", job->provisioning_since_ns);
    json_put_text(arena, properties, "executionState", job_state_name(state));
    arm_put_time(call, properties, "executionStateTransitionTime",
                 state == job->state ? job->state_since_ns : job->started_ns);
    json_put(arena, properties, "executionInfo", execution_info(call, job, state));
}

static bool is_settled(const ArmCall *call, const Job *job)
{
    const JobState state = reported_state(call, job);
    return job->provisioning == PROVISIONING_SUCCEEDED &&
           (state == JOB_SUCCEEDED || state == JOB_FAILED);
}

/* The body up to its states. */
static Json *show_settings(const ArmCall *call, const Record *record)
{
    static const char *const priorities[] = {"low", "normal", "high"};
    _Static_assert(sizeof priorities / sizeof *priorities == PRIORITY_COUNT, "every priority");
    Arena *arena = call->arena;
    const Job *job = job_of(call, record);
    const Json *kept = record_kept(record);
    Json *body = arm_resource(call, record);
    Json *properties = json_put_object(arena, body, "properties");
    json_put_text(arena, properties, "experimentName", record->path.experiment);
    json_put_text(arena, properties, "schedulingPriority", priorities[job->spec->priority]);
    Json *cluster = json_put_object(arena, properties, "cluster");
    json_put_text(arena, cluster, "id",
                  arm_id(call, RECORD_CLUSTER,
                         world_cluster(session_world(call->session), job->cluster)->path));
    json_put_text(arena, properties, "jobOutputDirectoryPathSegment",
                  job_output_segment(session_scenario(call->session), job, arena));
    json_put_integer(arena, properties, "nodeCount", job->request.nodes);
    arm_put_kept(arena, properties, kept, "containerSettings");
    arm_put_kept(arena, properties, kept, "mountVolumes");
    put_toolkit(arena, properties, record, job);
    arm_put_kept(arena, properties, kept, "jobPreparation");
    arm_put_kept(arena, properties, kept, "stdOutErrPathPrefix");
    arm_put_kept(arena, properties, kept, "inputDirectories");
    arm_put_kept(arena, properties, kept, "outputDirectories");
    arm_put_kept(arena, properties, kept, "environmentVariables");
    arm_put_kept(arena, properties, kept, "secrets");
    json_set(arena, properties, "constraints",
             constraints(arena, kept, job->spec->max_wall_clock_ns));
    return body;
}

Json *job_show(const ArmCall *call, const Record *record)
{
    const Job *job = job_of(call, record);
    Json *body = show_settings(call, record);
    put_states(call, json_member(body, "properties"), job);
    if (call->request->method == HTTP_GET && !is_settled(call, job))
        pace_polled_job(call->arm->pace);
    return body;
}

/* As recorded, the answer to the request to create a job that exists is the stored record: a job
 * that has completed is queued in it. */
static Json *show_stored(const ArmCall *call, const Record *record)
{
    Json *body = show_settings(call, record);
    put_stored_states(call, json_member(body, "properties"), job_of(call, record));
    return body;
}

/* --- Requests --- */

/* The default of processCount is the number of nodes, in toolkits that have it. */
static void fill_processes(Arena *arena, Json *kept, const JobText *text)
{
    for (const Field *field = job_type.fields; field->name; field++) {
        Json *settings = json_member(kept, field->name);
        if (settings && settings->kind == JSON_OBJECT && field->type &&
            field_find(field->type, "processCount") != NULL &&
            !json_member(settings, "processCount"))
            json_put_integer(arena, settings, "processCount", text->nodes.value);
    }
}

/* Returns the job's cluster. NULL after answering the error about its id. */
static const Record *find_cluster(const ArmCall *call, const JobText *text)
{
    ResourcePath path;
    if (!text->cluster || !arm_id_read(call, text->cluster->id.value, RECORD_CLUSTER, &path)) {
        arm_error(call, AZURE_ARM_INVALID_CONTENT,
                  "properties.cluster.id: expected the id of a cluster of this subscription");
        return NULL;
    }
    return arm_find(call, RECORD_CLUSTER, path);
}

/* Returns the properties to keep for a body, as for a cluster. The longest run time is not in it
 * unless it was requested: its default is in the catalogue. */
static Json *kept_job(const ArmCall *call, const JobText *text, const Record *cluster)
{
    Arena *arena = call->arena;
    Json *kept = batchai_echo(arena, &job_type, text->node);
    fill_processes(arena, kept, text);
    json_put_text(arena, json_member(kept, "cluster"), "id",
                  arm_id(call, RECORD_CLUSTER, cluster->path));
    batchai_fill_mounts(call, json_member(kept, "mountVolumes"));
    return batchai_echo(arena, &job_type, kept); // in the order of the type
}

void jobs_create(const ArmCall *call)
{
    Arena *arena = call->arena;
    ResourcePath path = batchai_path(call);
    const Json *body;
    const JobText *text = batchai_properties(call, RECORD_JOB, &job_type, &body);
    if (!text || !arm_has_parents(call, &path))
        return;
    const Record *cluster = find_cluster(call, text);
    if (!cluster)
        return;
    Json *kept = kept_job(call, text, cluster);
    const Record *record = session_find(call->session, RECORD_JOB, path);
    if (record) {
        const ServiceModel *service = &session_scenario(call->session)->service;
        json_set(arena, kept, "constraints",
                 constraints(arena, kept, service->default_max_wall_clock_ns));
        batchai_exists(call, record, &job_type, kept, show_stored);
        return;
    }
    if (!batchai_has_secrets(call, &text->secrets, body) ||
        !batchai_has_file_servers(call, text->mounts, body))
        return;
    Json *command = session_command_about(arena, COMMAND_JOB_CREATE, path);
    Json *config = json_put_object(arena, command, "config");
    json_set(arena, config, "properties", kept);
    batchai_put_secrets(arena, json_member(kept, "secrets"), &text->secrets);
    const JobExecution execution = ((const Batchai *)call->provider)->execution;
    if (execution != EXECUTION_EMULATED)
        json_put_text(arena, command, "execution", job_execution_word(execution));
    if (arm_do(call, body, command, NULL))
        operation_answer(call, OPERATION_CREATE, session_find(call->session, RECORD_JOB, path));
}

void jobs_get(const ArmCall *call)
{
    const Record *record = arm_find(call, RECORD_JOB, batchai_path(call));
    if (record)
        batchai_answer(call, record, job_show);
}

void jobs_delete(const ArmCall *call)
{
    batchai_delete(call, RECORD_JOB, COMMAND_JOB_DELETE, batchai_path(call));
}

/* As recorded, a job that has completed is unchanged, and the answer is 200. */
void jobs_terminate(const ArmCall *call)
{
    const Record *record = arm_find(call, RECORD_JOB, batchai_path(call));
    if (!record)
        return;
    if (job_of(call, record)->ended_ns != INT64_MAX) {
        call->response->status = 200;
        return;
    }
    Json *command = session_command_about(call->arena, COMMAND_JOB_TERMINATE, record->path);
    if (arm_do(call, NULL, command, NULL))
        operation_answer(call, OPERATION_TERMINATE, record);
}

void jobs_list(const ArmCall *call)
{
    ResourcePath scope = {.group = call->match.parts[1],
                          .workspace = call->match.parts[2],
                          .experiment = call->match.parts[3]};
    if (arm_has_parents(call, &scope))
        arm_list(call, RECORD_JOB, scope, job_show);
}

void jobs_list_logins(const ArmCall *call)
{
    const Record *record = arm_find(call, RECORD_JOB, batchai_path(call));
    if (!record)
        return;
    const Job *job = job_of(call, record);
    batchai_answer_logins(call, job->nodes, job_is_active(job) ? job->request.nodes : 0);
}

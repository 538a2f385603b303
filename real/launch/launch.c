#include "real/launch/launch.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "real/launch/job_place.h"
#include "real/launch/launch_assets.h"
#include "sim/base/invariant.h"
#include "sim/base/units.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/machine_clock.h"
#include "sim/output/share/job_files.h"
#include "sim/output/trace/fan.h"
#include "sim/scenario/catalog/built_in_catalog.h"
#include "sim/scenario/config/job_config.h"
#include "sim/scenario/validate.h"

/* Group, workspace and experiment of the world, and its cluster. */
#define OWNER "launch"
/* Replaces <AZURE_BATCHAI_STORAGE_ACCOUNT>. */
#define ACCOUNT "mystorageaccount"
/* The account of mounts that are not shares of an account. */
#define MOUNTED_ACCOUNT "mounted"

/* --- Changes to the job --- */

/* The object that contains the job's members: "properties", or the root. */
static Json *body_of(const Json *root)
{
    Json *properties = json_member(root, "properties");
    return properties ? properties : (Json *)root;
}

/* The changes to a job. Each is made in `body` and recorded as an override for the world, which
 * reads the file again: so its problems have places in the file. */
typedef struct {
    Arena *arena;
    LaunchJob *job;
    Json *root, *body;
} Changes;

static void change(Changes *changes, const char *pointer, Json *value)
{
    enum { CHANGES_MAX = 64 };
    Arena *arena = changes->arena;
    LaunchJob *job = changes->job;
    Text text = {0};
    Status status;
    const bool is_put =
        json_put_at(arena, changes->body, pointer, value, place_in(job->path, 0, 0), &status);
    invariant(is_put && job->override_count < CHANGES_MAX);
    json_print(&text, value, JSON_COMPACT);
    if (!job->overrides)
        job->overrides = ARENA_ARRAY(arena, const char *, CHANGES_MAX);
    job->overrides[job->override_count++] = arena_printf(
        arena, "/commands/1/config%s%s=%s", changes->body == changes->root ? "" : "/properties",
        pointer, text_string(&text));
    text_free(&text);
}

/* Removes the job's cluster and the settings that install software there. */
static void remove_settings(Changes *changes)
{
    static const char *const keys[] = {"containerSettings", "jobPreparation", "cluster"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_member(changes->body, keys[i]))
            change(changes, arena_printf(changes->arena, "/%s", keys[i]),
                   json_null(changes->arena));
}

static Json *file_share(Arena *arena, const char *share, const Json *relative)
{
    Json *mount = json_object(arena);
    const char *url = "https://" MOUNTED_ACCOUNT ".file.core.windows.net/";
    json_put_text(arena, mount, "azureFileUrl", arena_printf(arena, "%s%s", url, share));
    json_set(arena, mount, "relativeMountPath", json_copy(arena, relative, NULL));
    return mount;
}

/* Replaces file servers and unmanaged file systems by shares. */
static void change_mounts(Changes *changes)
{
    static const char *const kinds[] = {"fileServers", "unmanagedFileSystems"};
    Arena *arena = changes->arena;
    const Json *volumes = json_member(changes->body, "mountVolumes");
    const Json *shares = volumes ? json_member(volumes, "azureFileShares") : NULL;
    Json *all = shares ? json_copy(arena, shares, NULL) : json_array(arena);
    int32_t number = 0;
    for (size_t i = 0; volumes && i < sizeof kinds / sizeof *kinds; i++) {
        const Json *mounts = json_member(volumes, kinds[i]);
        for (const Json *mount = mounts ? mounts->first : NULL; mount; mount = mount->next)
            json_add(all, file_share(arena, arena_printf(arena, "mount-%" PRId32, ++number),
                                     json_member(mount, "relativeMountPath")));
        if (mounts)
            change(changes, arena_printf(arena, "/mountVolumes/%s", kinds[i]), json_array(arena));
    }
    if (number > 0)
        change(changes, "/mountVolumes/azureFileShares", all);
}

static int64_t integer_of(const Json *object, const char *key, int64_t otherwise)
{
    const Json *member = json_member(object, key);
    int64_t value;
    return member && json_scaled(member, 0, &value) ? value : otherwise;
}

/* Keeps the number of processes per node, rounded up. */
static void change_nodes(Changes *changes, int64_t nodes)
{
    static const char *const counts[] = {"processCount", "workerCount"};
    Arena *arena = changes->arena;
    const int64_t before = integer_of(changes->body, "nodeCount", 1);
    for (Toolkit toolkit = 0; toolkit < TOOLKIT_COUNT; toolkit++) {
        const Json *settings = json_member(changes->body, toolkit_key(toolkit));
        for (size_t i = 0; settings && i < sizeof counts / sizeof *counts; i++) {
            const int64_t count = integer_of(settings, counts[i], 0);
            if (count > 0)
                change(changes, arena_printf(arena, "/%s/%s", toolkit_key(toolkit), counts[i]),
                       json_integer(arena, (count * nodes + before - 1) / before));
        }
    }
    change(changes, "/nodeCount", json_integer(arena, nodes));
}

/* --- Its mounts --- */

static bool has_mount(const Json *body, const char *relative)
{
    const Json *volumes = json_member(body, "mountVolumes");
    for (const Json *kind = volumes ? volumes->first : NULL; kind; kind = kind->next)
        for (const Json *mount = kind->first; mount; mount = mount->next) {
            const Json *path = json_member(mount, "relativeMountPath");
            const size_t length = strlen(relative);
            if (path && path->kind == JSON_STRING && strncmp(path->text, relative, length) == 0 &&
                path->text[length + strspn(path->text + length, "/")] == '\0')
                return true;
        }
    return false;
}

static void add_share(Arena *arena, Json *storage, const char *name)
{
    const char *slash = strchr(name, '/');
    const char *account = arena_strndup(arena, name, (size_t)(slash - name));
    Json *entry = storage->first;
    while (entry && strcmp(json_member(entry, "account")->text, account) != 0)
        entry = entry->next;
    if (!entry) {
        entry = json_add(storage, json_object(arena));
        json_put_text(arena, entry, "account", account);
        json_put_array(arena, entry, "shares");
    }
    Json *shares = json_member(entry, "shares");
    for (const Json *share = shares->first; share; share = share->next)
        if (strcmp(json_member(share, "name")->text, slash + 1) == 0)
            return;
    json_put_text(arena, json_add(shares, json_object(arena)), "name", slash + 1);
}

/* Adds the mounts that the job does not have to the cluster. */
static void add_cluster_mounts(Arena *arena, const Json *body, const LaunchMount *mounts,
                               int32_t mount_count, LaunchJob *job)
{
    for (int32_t i = 0; i < mount_count; i++) {
        if (has_mount(body, mounts[i].relative))
            continue;
        const char *share = arena_printf(arena, "cluster-%" PRId32, i + 1);
        if (!job->cluster_mounts) {
            job->cluster_mounts = json_object(arena);
            json_put_array(arena, job->cluster_mounts, "azureFileShares");
        }
        json_add(json_member(job->cluster_mounts, "azureFileShares"),
                 file_share(arena, share, json_string(arena, mounts[i].relative)));
        add_share(arena, job->storage, arena_printf(arena, MOUNTED_ACCOUNT "/%s", share));
    }
}

/* --- Words --- */

/* Splits a command line as a shell does, with quotes and backslashes. Variables stay unchanged
 * because their values are not known yet. */
static char **words_of(Arena *arena, const char *text, int32_t *count)
{
    char **words = ARENA_ARRAY(arena, char *, strlen(text) / 2 + 2); // the last stays NULL
    *count = 0;
    for (const char *at = text + strspn(text, " \t\n"); *at; at += strspn(at, " \t\n")) {
        char *word = arena_alloc(arena, strlen(at) + 1);
        size_t length = 0;
        for (char quote = '\0'; *at && (quote || !strchr(" \t\n", *at)); at++) {
            if (*at == quote)
                quote = '\0';
            else if (!quote && (*at == '"' || *at == '\''))
                quote = *at;
            else if (*at == '\\' && quote != '\'' && at[1])
                word[length++] = *++at;
            else
                word[length++] = *at;
        }
        word[length] = '\0';
        words[(*count)++] = word;
    }
    return words;
}

/* --- Reading --- */

static Json *parse(Arena *arena, const char *path, Problems *problems)
{
    const char *text;
    size_t length;
    Status status = {0};
    if (disk_files.read(disk_files.context, arena, path, &text, &length, &status))
        return json_parse(arena, path, text, length, JSON_WITH_COMMENTS, problems);
    problems_add_status(problems, &status);
    return NULL;
}

/* Fills in `job` from the root of a valid job.json. */
static void read_job(Arena *arena, const Json *root, LaunchJob *job)
{
    Problems ignored = problems_create(arena); // the world reports them when it reads the job
    const ConfigContext alone = {.arena = arena,
                                 .problems = &ignored,
                                 .account = ACCOUNT,
                                 .unlisted = {true, true, true, true},
                                 .is_of_session = true};
    const ResourcePath name = {.workspace = OWNER, .experiment = OWNER, .name = job->name};
    const JobConfig *read =
        job_config_read(&alone, job_bind(arena, root, &ignored), name,
                        cluster_config_unread(arena, OWNER), EXECUTION_EMULATED);
    const char *arguments = "";
    for (Toolkit toolkit = 0; toolkit < TOOLKIT_COUNT; toolkit++) {
        const ToolkitText *settings = read->text->toolkits[toolkit];
        if (settings && settings->arguments.value)
            arguments = settings->arguments.value;
    }
    job->nodes = (int32_t)integer_of(body_of(root), "nodeCount", 1);
    job->ranks = read->spec.processes;
    job->command = read->spec.command;
    job->arguments = words_of(arena, arguments, &job->argument_count);
    for (int32_t i = 0; i < read->spec.mount_count; i++)
        add_share(arena, job->storage, read->spec.mounts[i]);
}

/* A seed from the clock, so that no two jobs have the same log folder. */
static int64_t new_seed(void)
{
    return machine_unix_ns() / NS_PER_MS;
}

bool launch_read(Arena *arena, const char *path, const char *name, int64_t nodes,
                 const LaunchMount *mounts, int32_t mount_count, LaunchJob *job, Problems *problems)
{
    Problems warnings = problems_create(arena);
    const int32_t problems_before = problems->count;
    const char *kind =
        validate_file(arena, disk_files, path, (ScenarioOverrides){0}, problems, &warnings, NULL);
    if (kind && strcmp(kind, "job") != 0)
        status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in(path, 0, 0),
                                 "is a %s, expected a job.json", kind),
                    "`trainyard run` runs scenarios; with --real their jobs run for real");
    Json *root = problems->count == problems_before ? parse(arena, path, problems) : NULL;
    if (!root)
        return false;
    Json *body = body_of(root);
    *job = (LaunchJob){.path = path,
                       .name = name,
                       .seed = new_seed(),
                       .has_container = json_member(body, "containerSettings") != NULL,
                       .has_preparation = json_member(body, "jobPreparation") != NULL,
                       .storage = json_array(arena)};
    Changes changes = {.arena = arena, .job = job, .root = root, .body = body};
    add_cluster_mounts(arena, body, mounts, mount_count, job);
    remove_settings(&changes);
    change_mounts(&changes);
    if (nodes > 0)
        change_nodes(&changes, nodes);
    read_job(arena, root, job);
    return true;
}

/* --- The job's world --- */

/* A name without a folder, so that the scenario's relative paths are relative to the working
 * directory. */
#define SCENARIO_PATH "launch_scenario.json"

/* Sets a member whose parent exists in the compiled-in text. */
static void put(Arena *arena, Json *root, const char *pointer, Json *value)
{
    Status status;
    const bool is_put =
        json_put_at(arena, root, pointer, value, place_in(SCENARIO_PATH, 0, 0), &status);
    invariant(is_put);
}

static void put_time(Arena *arena, Json *root)
{
    const time_t now = time(NULL);
    struct tm parts;
    char text[32];
    gmtime_r(&now, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    put(arena, root, "/start", json_string(arena, text));
}

/* The compiled-in catalogue, followed by the scenario's own entries. */
static void put_catalogs(Arena *arena, Json *root)
{
    Json *own = json_item(json_member(root, "catalog"), 0);
    Json *all = json_array(arena);
    json_add(all, json_string(arena, "catalog/azure-2018.json"));
    json_add(all, json_copy(arena, own, NULL));
    put(arena, root, "/catalog", all);
}

static void put_training(Arena *arena, Json *root, const LaunchTraining *training)
{
    put(arena, root, "/programs/0/model", json_string(arena, training->network));
    put(arena, root, "/programs/0/batch_per_rank", json_integer(arena, training->batch_size));
    if (training->epochs > 0)
        put(arena, root, "/programs/0/epochs", json_integer(arena, training->epochs));
    if (training->steps > 0)
        put(arena, root, "/programs/0/steps_per_epoch", json_integer(arena, training->steps));
}

static ScenarioFile *world_of(Arena *arena, const LaunchJob *job, const LaunchTraining *training,
                              Problems *problems)
{
    const char *base = launch_assets[0].text;
    Json *root = json_parse(arena, SCENARIO_PATH, base, strlen(base), JSON_WITH_COMMENTS, problems);
    Text text = {0};
    put_time(arena, root);
    put(arena, root, "/seed", json_integer(arena, job->seed));
    put_catalogs(arena, root);
    put_training(arena, root, training);
    put(arena, root, "/storage", job->storage);
    put(arena, root, "/commands/0/config/properties/scaleSettings/manual/targetNodeCount",
        json_integer(arena, job->nodes));
    if (job->cluster_mounts) {
        Json *setup = json_object(arena);
        json_set(arena, setup, "mountVolumes", job->cluster_mounts);
        put(arena, root, "/commands/0/config/properties/nodeSetup", setup);
    }
    put(arena, root, "/commands/1/name", json_string(arena, job->name));
    put(arena, root, "/commands/1/config", json_string(arena, job->path));
    json_print(&text, root, JSON_INDENTED);
    const Asset scenario = {.name = SCENARIO_PATH, .text = arena_strdup(arena, text_string(&text))};
    static const int one = 1;
    const AssetFolder folders[] = {{.path = "", .assets = &scenario, .count = &one},
                                   BUILT_IN_CATALOG("catalog/")};
    const AssetFiles made = {.folder_count = 2, .folders = folders, .others = &disk_files};
    text_free(&text);
    const ScenarioOverrides changes = {.count = job->override_count, .items = job->overrides};
    return scenario_read(arena, asset_files(&made), SCENARIO_PATH, changes, problems);
}

bool launch_check(Arena *arena, const LaunchJob *job, const LaunchTraining *training,
                  Problems *problems)
{
    return world_of(arena, job, training, problems) != NULL;
}

/* --- Running --- */

static const JobSpec *spec_of(const Scenario *scenario)
{
    for (int32_t i = 0; i < scenario->command_count; i++)
        if (scenario->commands[i].kind == COMMAND_JOB_CREATE)
            return scenario->commands[i].as.job_create.spec;
    return NULL;
}

/* The shares whose directories --mount names. */
static RealShare *find_shares(Arena *arena, const LaunchJob *job, const LaunchSettings *settings,
                              const Program *program, int32_t *count)
{
    RealShare *shares = ARENA_ARRAY(arena, RealShare, settings->mount_count);
    const char *roots[] = {
        arena_printf(arena, JOB_ROOT "/" OWNER "/" OWNER "/%s/mounts", job->name),
        CLUSTER_MOUNT_ROOT};
    *count = 0;
    for (int32_t i = 0; i < settings->mount_count; i++)
        for (int32_t j = 0; j < 2 * program->mount_count; j++) {
            const ShellMount *mount = &program->mounts[j / 2];
            const LaunchMount *own = &settings->mounts[i];
            if (strcmp(mount->path, arena_printf(arena, "%s/%s", roots[j % 2], own->relative)) == 0)
                shares[(*count)++] = (RealShare){.name = mount->share, .folder = own->folder};
        }
    return shares;
}

static const char *output_path(Arena *arena, const World *world, const Job *job,
                               const char *log_folder, const char *stem)
{
    return arena_printf(arena, "%s%s", log_folder,
                        strrchr(job_place_output(world, job, 0, stem, arena), '/'));
}

static void fill_result(Arena *arena, const World *world, const char *folder, LaunchResult *result)
{
    const Job *job = world_job(world, (JobId){0});
    const JobRan *ran = job_program_ran(job);
    result->state = job_state_name(job->state);
    result->has_succeeded = job->state == JOB_SUCCEEDED;
    result->exit_code = job->exit_code;
    result->error_code = job->error_code;
    result->error_message = job->error_message;
    result->training = ran ? ran->training : real_training_unknown();
    result->took_ns = job->ended_ns - job_outside_since_ns(job, 0);
    result->log_folder = arena_printf(arena, "%s/share/%s/%s", folder, job->spec->std_out_err.share,
                                      job_files_directory(world, job, arena));
    result->stdout_path = output_path(arena, world, job, result->log_folder, "stdout");
    result->stderr_path = output_path(arena, world, job, result->log_folder, "stderr");
}

static bool run_world(Arena *arena, const RealRunSettings *settings, const ScenarioFile *file,
                      LaunchResult *result, Status *status)
{
    RealRunResult real;
    ShareTree *tree = share_tree_create(arena);
    TraceFan *fan = trace_fan_create(arena);
    trace_fan_join(fan, share_tree_listener(tree));
    World *world = world_create(arena, &file->scenario, trace_fan_sink(fan));
    trace_fan_watch(fan, world);
    if (!real_run(arena, settings, world, file->reader, tree, &real, status))
        return false;
    world_run(world);
    if (!share_tree_write(tree, world, settings->folder, status))
        return false;
    result->signal = real.signal;
    fill_result(arena, world, settings->folder, result);
    return true;
}

bool launch_run(Arena *arena, const LaunchJob *job, const LaunchSettings *settings,
                LaunchResult *result, Problems *problems)
{
    Status status = {0};
    const ScenarioFile *file = world_of(arena, job, &settings->training, problems);
    if (!file)
        return false;
    RealRunSettings real = {.folder = settings->folder,
                            .backend = settings->backend,
                            .data_folder = settings->data_folder,
                            .arguments = settings->arguments,
                            .is_quiet = settings->is_quiet,
                            .keeps_shares = settings->continues};
    real.shares =
        find_shares(arena, job, settings, spec_of(&file->scenario)->program, &real.share_count);
    *result = (LaunchResult){0};
    if (run_world(arena, &real, file, result, &status))
        return true;
    problems_add_status(problems, &status);
    return false;
}

/* emu/session/session.h: commands are stored, give the same records as a scenario, and are applied
 * again after a restart. */
#include <inttypes.h>
#include <string.h>

#include "emu/session/base.h"
#include "emu/session/export.h"
#include "emu/session/session.h"
#include "sim/base/units.h"
#include "sim/cloud/storage/file_server.h"
#include "sim/model/price.h"
#include "sim/output/share/job_files.h"
#include "sim/output/trace/fan.h"
#include "sim/output/trace/tsv.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static Arena *arena;
static const char *folder;

static void set_up(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
}

static void tear_down(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

/* --- A session with its trace --- */

static void print_row(void *listener, const TraceRow *row)
{
    trace_tsv_print_row(listener, row);
}

static TraceListener listener_of(Text *trace)
{
    return (TraceListener){.listener = trace, .level = TRACE_LEVEL_EPOCHS, .row = print_row};
}

static void add_bill(void *listener, const TraceRow *row)
{
    int64_t *micro_usd = listener;
    const TraceRecord *record = &row->record;
    if (record->kind == TRACE_NODE_BILLED)
        *micro_usd +=
            cost_micro_usd(record->node_billed.billed_ns, record->node_billed.micro_usd_per_hour);
    if (record->kind == TRACE_FILE_SERVER_BILLED)
        *micro_usd += cost_micro_usd(record->file_server_billed.billed_ns,
                                     record->file_server_billed.micro_usd_per_hour);
}

/* The sum of all bills. */
static TraceListener biller_of(int64_t *micro_usd)
{
    return (TraceListener){.listener = micro_usd, .level = TRACE_LEVEL_JOBS, .row = add_bill};
}

typedef struct {
    Store *store;
    Session *session;
    Text trace;
    int64_t billed_micro_usd; /* of released nodes */
} Opened;

static const char *problem_text(const Problems *problems)
{
    return problems->count > 0 ? problems->items[0].message : "";
}

static Opened *open_with(const char *state, const char *path)
{
    Opened *opened = ARENA_NEW(arena, Opened);
    Status status = {0};
    Problems problems = problems_create(arena), warnings = problems_create(arena);
    opened->store = store_open(arena_printf(arena, "%s/%s", folder, state), &status);
    ck_assert_msg(opened->store != NULL, "%s", status.message);
    const ScenarioFile *base =
        base_open(arena, opened->store, path, (ScenarioOverrides){0}, &problems, &warnings);
    ck_assert_msg(base != NULL, "%s", problem_text(&problems));
    const SessionListener listeners[] = {{.listener = listener_of(&opened->trace)},
                                         {.listener = biller_of(&opened->billed_micro_usd)}};
    opened->session = session_open(arena, opened->store, base, listeners, 2, &status);
    ck_assert_msg(opened->session != NULL, "%s", status.message);
    world_check_always(session_world(opened->session));
    return opened;
}

static Opened *open_session(void)
{
    return open_with("state", NULL);
}

static void commit(Opened *opened)
{
    Status status = {0};
    ck_assert_msg(store_commit(opened->store, &status), "%s", status.message);
}

static void close_session(Opened *opened)
{
    text_free(&opened->trace);
    session_close(opened->session);
    store_close(opened->store);
}

static Json *parse(const char *text)
{
    Problems problems = problems_create(arena);
    Json *tree = json_parse(arena, "request", text, strlen(text), JSON_STRICT, &problems);
    ck_assert_msg(tree != NULL, "%s: %s", text, problem_text(&problems));
    return tree;
}

/* "" when it was taken, else the first problem. */
static const char *ask_with(Opened *opened, const char *command, const char *kept)
{
    Problems problems = problems_create(arena);
    if (session_command(opened->session, parse(command), kept ? parse(kept) : NULL, &problems))
        return "";
    ck_assert_int_gt(problems.count, 0);
    return problems.items[0].message;
}

static const char *ask(Opened *opened, const char *command)
{
    return ask_with(opened, command, NULL);
}

static void must(Opened *opened, const char *command)
{
    ck_assert_str_eq(ask(opened, command), "");
}

static void wait_for(Opened *opened, int64_t duration_ns)
{
    session_advance(opened->session, session_now_ns(opened->session) + duration_ns);
}

/* --- The same as a scenario --- */

/* The total cost if all resources were released now. */
static int64_t cost_so_far_micro_usd(const Opened *opened)
{
    const World *world = session_world(opened->session);
    int64_t micro_usd = opened->billed_micro_usd;
    for (uint32_t i = 0; i < world_cluster_count(world); i++) {
        const Cluster *cluster = world_cluster(world, (ClusterId){i});
        for (int32_t place = 0; place < cluster->place_count; place++) {
            if (cluster->nodes[place].index == ID_NONE)
                continue;
            const Node *node = world_node(world, cluster->nodes[place]);
            const Bill bill = world_node_bill(world, cluster->id, node->kind, node->allocated_ns);
            micro_usd += cost_micro_usd(bill.billed_ns, bill.micro_usd_per_hour);
        }
    }
    for (uint32_t i = 0; i < world_file_server_count(world); i++) {
        const FileServer *server = world_file_server(world, i);
        const Bill bill = world_file_server_bill(world, server);
        if (server->gone_ns == INT64_MAX)
            micro_usd += cost_micro_usd(bill.billed_ns, bill.micro_usd_per_hour);
    }
    return micro_usd;
}

/* Runs what the session exports and compares. */
static void check_export(Opened *opened, const char *why)
{
    Text exported = {0}, trace = {0};
    Status status = {0};
    ck_assert(session_export(opened->session, &exported, &status));
    MemoryFiles files = {0};
    memory_files_set(&files, "session.json", text_string(&exported), exported.length);
    Problems problems = problems_create(arena);
    const ScenarioFile *file = scenario_read(arena, memory_files_source(&files), "session.json",
                                             (ScenarioOverrides){0}, &problems);
    ck_assert_msg(file != NULL, "%s: %s", why, problem_text(&problems));
    Arena *run = arena_create();
    TraceFan *fan = trace_fan_create(run);
    int64_t billed_micro_usd = 0;
    trace_fan_join(fan, listener_of(&trace));
    trace_fan_join(fan, biller_of(&billed_micro_usd));
    World *world = world_create(run, &file->scenario, trace_fan_sink(fan));
    trace_fan_watch(fan, world);
    world_run(world);
    size_t length = opened->trace.length;
    size_t same = 0;
    while (same < length && same < trace.length && trace.data[same] == opened->trace.data[same])
        same++;
    size_t line = same;
    while (line > 0 && opened->trace.data[line - 1] != '\n')
        line--;
    ck_assert_msg(same == length,
                  "%s: the session's records\n%.300s\nthe scenario's records\n%.300s", why,
                  opened->trace.data + line, trace.data + line);
    // The records of the end of the run follow.
    const char *rest = text_string(&trace) + length;
    ck_assert_ptr_nonnull(strstr(rest, "run_ended"));
    ck_assert_int_eq(world_events(world), world_events(session_world(opened->session)));
    ck_assert_int_eq(world_now_ns(world), session_now_ns(opened->session));
    ck_assert_int_eq(billed_micro_usd, cost_so_far_micro_usd(opened));
    arena_destroy(run);
    text_free(&exported);
    text_free(&trace);
}

/* Opens it again and compares; returns the new one. */
static Opened *check_reopened(Opened *opened, const char *why)
{
    Status status = {0};
    ck_assert(session_note_time(opened->session, &status));
    commit(opened);
    const char *trace = arena_strdup(arena, text_string(&opened->trace));
    int64_t now_ns = session_now_ns(opened->session);
    int64_t sequence = session_sequence(opened->session);
    close_session(opened);
    opened = open_session();
    ck_assert_msg(strcmp(text_string(&opened->trace), trace) == 0, "%s: another trace", why);
    ck_assert_int_eq(session_now_ns(opened->session), now_ns);
    ck_assert_int_eq(session_sequence(opened->session), sequence);
    return opened;
}

/* --- Random sessions --- */

typedef struct {
    uint64_t state;
} Dice;

static uint32_t roll(Dice *dice, uint32_t sides)
{
    dice->state = dice->state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((dice->state >> 33) % sides);
}

static const char *one_of(Dice *dice, const char *const *words, uint32_t count)
{
    return words[roll(dice, count)];
}
#define ONE_OF(dice, words) one_of(dice, words, sizeof(words) / sizeof *(words))

/* Names collide, differ in letter case and often do not exist. Each throw of the dice is a separate
 * statement, because the arguments of a call are evaluated in any order. */
static const char *path_members(Dice *dice)
{
    static const char *const groups[] = {"g1", "g1", "g1", "g1", "G1", "g1", "g1", "g2"};
    static const char *const workspaces[] = {"w1", "w1", "w1", "w1", "W1", "w1", "w1", "w2"};
    const char *group = ONE_OF(dice, groups);
    const char *workspace = ONE_OF(dice, workspaces);
    return arena_printf(arena, "\"resource_group\": \"%s\", \"workspace\": \"%s\"", group,
                        workspace);
}

static const char *cluster_config(Dice *dice)
{
    static const char *const sizes[] = {"STANDARD_NC6", "STANDARD_NC6", "Standard_NC24", "tiny"};
    static const char *const scales[] = {
        "\"manual\": {\"targetNodeCount\": 2}", "\"manual\": {\"targetNodeCount\": 1}",
        "\"autoScale\": {\"minimumNodeCount\": 0, \"maximumNodeCount\": 3}",
        "\"manual\": {\"targetNodeCount\": 0}"};
    static const char *const mounts[] = {
        "", "",
        ", \"nodeSetup\": {\"mountVolumes\": {\"azureFileShares\": [{\"azureFileUrl\": "
        "\"https://acc1.file.core.windows.net/s1\", \"relativeMountPath\": \"x\", \"credentials\": "
        "{\"accountKey\": \"TOPSECRET\"}}]}}"};
    static const char *const priorities[] = {"dedicated", "dedicated", "lowpriority"};
    const char *size = ONE_OF(dice, sizes);
    const char *priority = ONE_OF(dice, priorities);
    const char *scale = ONE_OF(dice, scales);
    const char *mount = ONE_OF(dice, mounts);
    return arena_printf(arena,
                        "{\"properties\": {\"vmSize\": \"%s\", \"vmPriority\": \"%s\", "
                        "\"scaleSettings\": {%s}%s}}",
                        size, priority, scale, mount);
}

static const char *job_config(Dice *dice)
{
    static const char *const commands[] = {
        ("echo hello >> $AZ_BATCHAI_JOB_MOUNT_ROOT/m/x.py; sleep 1m; "
         "cat $AZ_BATCHAI_JOB_MOUNT_ROOT/m/x.py"),
        "make all", "python $AZ_BATCHAI_JOB_MOUNT_ROOT/m/mnist_cnn.py"};
    static const char *const images[] = {
        "", "",
        ", \"containerSettings\": {\"imageSourceRegistry\": {\"image\": \"some/image:1\"}}"};
    const char *command = ONE_OF(dice, commands);
    const char *image = ONE_OF(dice, images);
    int nodes = 1 + (int)roll(dice, 2);
    int share = roll(dice, 4) > 0 ? 1 : 2;
    return arena_printf(
        arena,
        "{\"properties\": {\"nodeCount\": %d, \"customToolkitSettings\": {\"commandLine\": "
        "\"%s\"}, "
        "\"stdOutErrPathPrefix\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/m\", \"mountVolumes\": "
        "{\"azureFileShares\": [{\"azureFileUrl\": \"https://acc1.file.core.windows.net/s%d\", "
        "\"relativeMountPath\": \"m\"}]}%s}}",
        nodes, command, share, image);
}

static const char *random_command(Dice *dice)
{
    static const char *const clusters[] = {"c1", "c1", "c1", "C1", "c2"};
    static const char *const jobs[] = {"j1", "J1", "j2", "j3", "j4", "j5"}, *const real_job = "j3";
    static const char *const shares[] = {"acc1/s1", "acc1/s1", "acc1/s2", "acc2/s1"};
    const char *path = path_members(dice);
    const char *cluster = ONE_OF(dice, clusters);
    const char *job = ONE_OF(dice, jobs);
    const char *share = ONE_OF(dice, shares);
    switch (roll(dice, 35)) {
    case 0:
        return arena_printf(arena, "{\"do\": \"group.create\", \"name\": \"g%d\"}",
                            1 + (int)roll(dice, 2));
    case 1:
        return arena_printf(arena,
                            "{\"do\": \"workspace.create\", \"name\": \"w%d\", "
                            "\"resource_group\": \"g1\"}",
                            1 + (int)roll(dice, 2));
    case 2:
        return arena_printf(arena, "{\"do\": \"experiment.create\", \"name\": \"e\", %s}", path);
    case 3:
        return roll(dice, 2) ? "{\"do\": \"storage.create\", \"name\": \"acc1\"}"
                             : "{\"do\": \"storage.create\", \"name\": \"acc2\", "
                               "\"resource_group\": \"g1\"}";
    case 4:
    case 5:
        return arena_printf(arena, "{\"do\": \"share.create\", \"name\": \"%s\", \"tier\": \"%s\"}",
                            share, roll(dice, 3) ? "standard" : "premium");
    case 6:
        return arena_printf(arena,
                            "{\"do\": \"file.upload\", \"name\": \"%s\", \"file\": \"x.py\", "
                            "\"content\": %s}",
                            share,
                            roll(dice, 2)
                                ? arena_printf(arena, "{\"bytes\": %d}", (int)roll(dice, 1000))
                                : "{\"text\": \"a\\t\\u00e9\\n\"}");
    case 7:
    case 8:
    case 9:
        return arena_printf(arena,
                            "{\"do\": \"cluster.create\", \"name\": \"%s\", %s, \"config\": %s}",
                            cluster, path, cluster_config(dice));
    case 10:
    case 11:
        return arena_printf(arena,
                            "{\"do\": \"cluster.resize\", \"name\": \"%s\", \"target\": %d, %s}",
                            cluster, (int)roll(dice, 4), path);
    case 12:
        return arena_printf(arena,
                            "{\"do\": \"cluster.autoscale\", \"name\": \"%s\", \"minimum\": %d, "
                            "\"maximum\": 2, %s}",
                            cluster, (int)roll(dice, 4), path);
    case 13:
        if (roll(dice, 3) > 0)
            return "{\"do\": \"usages.show\", \"name\": \"u\"}";
        return arena_printf(arena, "{\"do\": \"cluster.delete\", \"name\": \"%s\", %s}", cluster,
                            path);
    case 14:
        return arena_printf(arena,
                            "{\"do\": \"job.terminate\", \"name\": \"%s\", \"experiment\": "
                            "\"e\", %s}",
                            job, path);
    case 15:
        return arena_printf(arena,
                            "{\"do\": \"job.delete\", \"name\": \"%s\", \"experiment\": \"E\", %s}",
                            job, path);
    case 16:
        return arena_printf(arena,
                            "{\"do\": \"fileserver.create\", \"name\": \"f\", \"vm_size\": "
                            "\"STANDARD_NC6\", %s}",
                            path);
    case 17:
        return arena_printf(arena, "{\"do\": \"fileserver.delete\", \"name\": \"f\", %s}", path);
    case 18:
        return arena_printf(arena,
                            "{\"do\": \"node.crash\", \"cluster\": \"%s\", \"recovery\": "
                            "\"reboot\", \"duration\": \"5m\"}",
                            cluster);
    case 19:
        return arena_printf(arena, "{\"do\": \"node.preempt\", \"cluster\": \"%s\"}", cluster);
    case 20:
        if (strcmp(job, real_job) == 0)
            return arena_printf(arena,
                                "{\"do\": \"job.ran\", \"name\": \"%s\", \"experiment\": \"e\", "
                                "%s, \"took\": \"90s\", \"exit_code\": %d}",
                                job, path, (int)strlen(path) % 2);
        return arena_printf(arena, "{\"do\": \"job.exit\", \"job\": \"%s\", \"exit_code\": 3}",
                            job);
    case 21:
        return arena_printf(arena,
                            "{\"do\": \"share.slow\", \"share\": \"%s\", \"speed\": \"10%%\", "
                            "\"duration\": \"2m\"}",
                            share);
    case 22:
        return "{\"do\": \"region.outage\", \"duration\": \"3m\"}";
    case 23:
        if (roll(dice, 3) == 0)
            return arena_printf(arena, "{\"do\": \"experiment.delete\", \"name\": \"e\", %s}",
                                path);
        return "{\"do\": \"group.delete\", \"name\": \"g2\"}";
    case 24:
        return roll(dice, 3)
                   ? "{\"do\": \"nonsense\", \"name\": \"x\"}"
                   : arena_printf(arena, "{\"do\": \"share.delete\", \"name\": \"%s\"}", share);
    case 25:
        return arena_printf(arena, "{\"do\": \"cluster.show\", \"name\": \"%s\", %s}", cluster,
                            path);
    case 26:
        return arena_printf(
            arena, "{\"do\": \"file.delete\", \"name\": \"%s\", \"file\": \"x.py\"}", share);
    case 28:
        if (roll(dice, 20) == 0)
            return "{\"do\": \"group.delete\", \"name\": \"g1\"}";
        return arena_printf(arena, "{\"do\": \"workspace.delete\", \"name\": \"w2\", "
                                   "\"resource_group\": \"g1\"}");
    case 27:
        switch (roll(dice, 4)) {
        case 0:
            return "{\"do\": \"storage.delete\", \"name\": \"acc2\"}";
        case 1:
            return "{\"do\": \"program.set\", \"name\": \"make*\", \"program\": {\"match\": "
                   "\"make*\", \"script\": \"echo made; sleep 30; exit 1\"}}";
        default:
            return "{\"do\": \"usages.show\", \"name\": \"u\"}";
        }
    default:
        return arena_printf(arena,
                            "{\"do\": \"job.create\", \"name\": \"%s\", \"cluster\": \"%s\", "
                            "\"experiment\": \"e\", %s, \"execution\": \"%s\", \"config\": %s}",
                            job, cluster, path, strcmp(job, real_job) == 0 ? "real" : "emulated",
                            job_config(dice));
    }
}

static void begin(Opened *opened)
{
    must(opened, "{\"do\": \"group.create\", \"name\": \"g1\"}");
    must(opened, "{\"do\": \"workspace.create\", \"name\": \"w1\", \"resource_group\": \"g1\"}");
    must(opened, "{\"do\": \"experiment.create\", \"name\": \"e\", \"workspace\": \"w1\", "
                 "\"resource_group\": \"g1\"}");
    must(opened, "{\"do\": \"storage.create\", \"name\": \"acc1\", \"resource_group\": \"g1\"}");
    must(opened, "{\"do\": \"share.create\", \"name\": \"acc1/s1\", \"tier\": \"standard\"}");
}

/* A job that runs, so that something can befall it. */
static void begin_job(Opened *opened, const char *execution)
{
    must(opened, "{\"do\": \"cluster.create\", \"name\": \"c1\", \"workspace\": \"w1\", "
                 "\"resource_group\": \"g1\", \"config\": {\"properties\": {\"vmSize\": "
                 "\"STANDARD_NC6\", \"scaleSettings\": {\"manual\": {\"targetNodeCount\": 2}}}}}");
    wait_for(opened, 15 * NS_PER_MIN);
    must(opened,
         arena_printf(
             arena,
             "{\"do\": \"job.create\", \"name\": \"j1\", \"cluster\": \"c1\", \"experiment\": "
             "\"e\", "
             "\"workspace\": \"w1\", \"resource_group\": \"g1\", \"execution\": \"%s\", "
             "\"config\": {\"properties\": "
             "{\"nodeCount\": 2, \"customToolkitSettings\": {\"commandLine\": \"make\"}, "
             "\"stdOutErrPathPrefix\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/m\", \"mountVolumes\": "
             "{\"azureFileShares\": [{\"azureFileUrl\": \"https://acc1.file.core.windows.net/s1\", "
             "\"relativeMountPath\": \"m\"}]}}}}",
             execution));
    wait_for(opened, 45 * NS_PER_S);
}

/* Applies random commands at random times; returns how many were accepted. */
static int32_t ask_at_random(Opened *opened, Dice *dice, int32_t count)
{
    static const int64_t waits_ns[] = {
        0, 0, 0, 1, NS_PER_S, NS_PER_S, NS_PER_MIN, NS_PER_MIN, 5 * NS_PER_MIN};
    int32_t taken = 0;
    for (int32_t i = 0; i < count; i++) {
        int64_t next_ns = world_next_event_ns(session_world(opened->session));
        if (roll(dice, 4) == 0 && next_ns < NS_PER_DAY) // right where something happens
            session_advance(opened->session, next_ns - (int64_t)roll(dice, 2));
        else
            wait_for(opened, waits_ns[roll(dice, sizeof waits_ns / sizeof *waits_ns)]);
        taken += *ask(opened, random_command(dice)) == '\0';
    }
    return taken;
}

/* The commands accepted in all sessions together. */
static Text taken_anywhere;

static void check_seed(uint64_t seed)
{
    Dice dice = {seed * UINT64_C(0x9e3779b97f4a7c15)};
    const char *why = arena_printf(arena, "seed %" PRIu64, seed);
    Opened *opened = open_session();
    begin(opened);
    begin_job(opened, seed % 4 == 2 ? "real" : "emulated");
    if (seed % 4 == 2)
        must(opened, "{\"do\": \"job.reached\", \"name\": \"j1\", \"workspace\": \"w1\", "
                     "\"resource_group\": \"g1\", \"experiment\": \"e\", \"step\": 5, "
                     "\"took\": \"60s\"}");
    if (seed % 4 == 2)
        must(opened, "{\"do\": \"job.ran\", \"name\": \"j1\", \"workspace\": \"w1\", "
                     "\"resource_group\": \"g1\", \"experiment\": \"e\", \"took\": \"100s\", "
                     "\"exit_code\": 0}");
    (void)ask(opened, seed % 2 ? "{\"do\": \"job.exit\", \"job\": \"j1\", \"exit_code\": 3}"
                               : "{\"do\": \"node.crash\", \"job\": \"j1\", \"recovery\": "
                                 "\"replace\", \"duration\": \"5m\"}");
    int32_t taken = ask_at_random(opened, &dice, 120);
    ck_assert_int_gt(taken, 5);
    ck_assert_int_lt(taken, 118);
    check_export(opened, why);
    opened = check_reopened(opened, why);
    ask_at_random(opened, &dice, 20); // new commands are accepted after a restart
    wait_for(opened, NS_PER_HOUR);
    check_export(opened, why);
    wait_for(opened, 90 * NS_PER_DAY); // nothing happens any more, but is paid for
    check_export(opened, why);
    text_add(&taken_anywhere, text_string(&opened->trace));
    close_session(opened);
}

START_TEST(random_sessions_match_their_scenarios_and_open_again)
{
    for (uint64_t seed = 1; seed <= 16; seed++) {
        check_seed(seed);
        tear_down();
        set_up();
    }
    static const char *const words[] = {
#define X(name, text, what) text,
        SERVICE_COMMANDS(X)
#undef X
            "node.crash",
        "node.preempt", "job.exit", "share.slow", "region.outage"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], "job.show") != 0 && strcmp(words[i], "job.files") != 0)
            ck_assert_msg(strstr(taken_anywhere.data, arena_printf(arena, "\t%s ", words[i])),
                          "no session took %s", words[i]);
    text_free(&taken_anywhere);
}
END_TEST

/* --- What is kept --- */

static Record *cluster_record(const Opened *opened)
{
    return session_find(opened->session, RECORD_CLUSTER,
                        (ResourcePath){.group = "g1", .workspace = "w1", .name = "c1"});
}

static const char *kept_text(const Opened *opened)
{
    Text text = {0};
    json_print(&text, record_kept(cluster_record(opened)), JSON_COMPACT);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

START_TEST(resources_keep_their_properties_unless_a_command_changes_them)
{
    static const char properties[] =
        "{\"vmSize\":\"STANDARD_NC6\",\"scaleSettings\":{\"manual\":{\"targetNodeCount\":2}}}";
    static const char note[] = "{\"tags\":{\"a\":\"b\"}}";
    Status status = {0};
    Opened *opened = open_session();
    begin(opened);
    begin_job(opened, "emulated");
    ck_assert_str_eq(kept_text(opened), properties);
    must(opened, "{\"do\": \"cluster.resize\", \"name\": \"c1\", \"workspace\": \"w1\", "
                 "\"resource_group\": \"g1\", \"target\": 1}");
    ck_assert_str_eq(kept_text(opened), properties);
    opened = check_reopened(opened, "properties");
    ck_assert_str_eq(kept_text(opened), properties);
    for (int i = 0; i < 3; i++) // each in the place of the one before
        ck_assert(session_keep(opened->session, cluster_record(opened),
                               parse(arena_printf(arena, "{\"n\":%d}", i)), &status));
    ck_assert(session_keep(opened->session, cluster_record(opened), parse(note), &status));
    ck_assert_str_eq(kept_text(opened), note);
    wait_for(opened, NS_PER_S); // notes take nanoseconds that the world does not
    opened = check_reopened(opened, "a note");
    ck_assert_str_eq(kept_text(opened), note);
    close_session(opened);
}
END_TEST

/* --- A base with its own commands, triggers and faults --- */

static const char busy_base[] =
    "{\"trainyard\": 1, \"catalog\": [\"" TRAINYARD_SOURCE_DIR
    "/scenarios/catalog/azure-2018.json\"],"
    " \"storage\": [{\"account\": \"acc\", \"shares\": [{\"name\": \"data\", \"files\":"
    " {\"train.py\": \"train.py\"}}]}],"
    " \"programs\": [{\"match\": \"*\", \"duration\": \"10m\"}],"
    " \"commands\": ["
    "  {\"do\": \"cluster.create\", \"name\": \"gpu\", \"config\": {\"properties\": {\"vmSize\":"
    "   \"STANDARD_NC6\", \"scaleSettings\": {\"manual\": {\"targetNodeCount\": 2}}}}},"
    "  {\"after\": \"cluster gpu ready\", \"do\": \"cluster.resize\", \"name\": \"gpu\","
    "   \"target\": 3},"
    "  {\"after\": \"cluster gpu steady + 1m\", \"do\": \"group.create\", \"name\": \"later\"}],"
    " \"faults\": ["
    "  {\"after\": \"cluster gpu ready + 1m\", \"do\": \"node.reboot\", \"cluster\": \"gpu\"},"
    "  {\"when\": \"cluster gpu nodes >= 4\", \"do\": \"node.crash\", \"cluster\": \"gpu\","
    "   \"node\": 1, \"recovery\": \"replace\", \"duration\": \"2m\"}]}";

START_TEST(triggers_and_faults_of_the_scenario_keep_their_meaning)
{
    temporary_file_write(folder, "scenario.json", busy_base, strlen(busy_base));
    temporary_file_write(folder, "train.py", "print()", 7);
    Opened *opened = open_with("state", arena_printf(arena, "%s/scenario.json", folder));
    wait_for(opened, NS_PER_MIN);
    // A command on the cluster that they wait for, before its moment comes.
    must(opened, "{\"do\": \"cluster.resize\", \"name\": \"gpu\", \"target\": 2}");
    wait_for(opened, 20 * NS_PER_MIN);
    must(opened, "{\"do\": \"group.create\", \"name\": \"mine\"}");
    must(opened, "{\"do\": \"cluster.resize\", \"name\": \"GPU\", \"target\": 4}");
    wait_for(opened, NS_PER_HOUR);
    must(opened, "{\"do\": \"node.reboot\", \"cluster\": \"gpu\", \"node\": 2}");
    wait_for(opened, NS_PER_HOUR);
    ck_assert_ptr_nonnull(strstr(text_string(&opened->trace), "node.crash gpu"));
    check_export(opened, "a busy base");
    close_session(opened);
}
END_TEST

START_TEST(a_session_opens_again_without_its_files)
{
    const char *path = arena_printf(arena, "%s/scenario.json", folder);
    temporary_file_write(folder, "scenario.json", busy_base, strlen(busy_base));
    temporary_file_write(folder, "train.py", "print()", 7);
    Opened *opened = open_with("state", path);
    wait_for(opened, NS_PER_HOUR);
    must(opened, "{\"do\": \"group.create\", \"name\": \"mine\"}");
    commit(opened);
    const char *trace = arena_strdup(arena, text_string(&opened->trace));
    close_session(opened);
    temporary_file_write(folder, "scenario.json", "{}", 2);
    ck_assert_int_eq(remove(arena_printf(arena, "%s/train.py", folder)), 0);
    opened = open_with("state", NULL);
    ck_assert_str_eq(text_string(&opened->trace), trace);
    close_session(opened);

    Status status = {0};
    Store *store = store_open(arena_printf(arena, "%s/state", folder), &status);
    Problems problems = problems_create(arena), warnings = problems_create(arena);
    ck_assert_ptr_nonnull(
        base_open(arena, store, path, (ScenarioOverrides){0}, &problems, &warnings));
    ck_assert_int_eq(warnings.count, 1);
    ck_assert_ptr_nonnull(strstr(warnings.items[0].message, "it has changed"));
    warnings = problems_create(arena);
    ck_assert_ptr_nonnull(
        base_open(arena, store, "/other.json", (ScenarioOverrides){0}, &problems, &warnings));
    ck_assert_ptr_nonnull(strstr(warnings.items[0].message, "began with"));
    store_close(store);
}
END_TEST

/* --- Records --- */

static ResourcePath at(const char *group, const char *workspace, const char *experiment,
                       const char *name)
{
    return (ResourcePath){group, workspace, experiment, name};
}

static const char *listed(Opened *opened, RecordKind kind, ResourcePath scope)
{
    Text text = {0};
    uint32_t position = 0;
    for (const Record *record;
         (record = session_next(opened->session, kind, scope, &position)) != NULL;)
        text_printf(&text, "%s ", record->path.name);
    const char *names = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return names;
}

START_TEST(records_are_found_without_case_and_listed_in_order)
{
    Opened *opened = open_session();
    begin(opened);
    must(opened, "{\"do\": \"group.create\", \"name\": \"G2\"}");
    must(opened, "{\"do\": \"workspace.create\", \"name\": \"b\", \"resource_group\": \"g2\"}");
    must(opened, "{\"do\": \"workspace.create\", \"name\": \"a\", \"resource_group\": \"g2\"}");
    must(opened, "{\"do\": \"storage.create\", \"name\": \"free\"}");
    ck_assert_str_eq(listed(opened, RECORD_GROUP, at(NULL, NULL, NULL, NULL)), "g1 G2 ");
    ck_assert_str_eq(listed(opened, RECORD_WORKSPACE, at(NULL, NULL, NULL, NULL)), "w1 b a ");
    ck_assert_str_eq(listed(opened, RECORD_WORKSPACE, at("g2", NULL, NULL, NULL)), "b a ");
    ck_assert_str_eq(listed(opened, RECORD_WORKSPACE, at("none", NULL, NULL, NULL)), "");
    ck_assert_str_eq(listed(opened, RECORD_STORAGE, at("G1", NULL, NULL, NULL)), "acc1 ");
    ck_assert_str_eq(listed(opened, RECORD_STORAGE, at("batchai", NULL, NULL, NULL)), "free ");
    const Record *found =
        session_find(opened->session, RECORD_WORKSPACE, at("G2", NULL, NULL, "B"));
    ck_assert_str_eq(found->path.name, "b");
    ck_assert_str_eq(found->path.group, "g2");
    ck_assert_int_eq(found->sequence, 7);
    ck_assert_ptr_null(session_find(opened->session, RECORD_STORAGE, at("g2", NULL, NULL, "acc1")));
    ck_assert_ptr_nonnull(
        session_find(opened->session, RECORD_STORAGE, at(NULL, NULL, NULL, "acc1")));
    ck_assert_ptr_null(
        session_find(opened->session, RECORD_GROUP, at(NULL, NULL, NULL, "g1/../g2")));
    // A deleted one is gone from lists in the end, also in the middle and at the end of one.
    must(opened, "{\"do\": \"workspace.delete\", \"name\": \"A\", \"resource_group\": \"g2\"}");
    ck_assert_str_eq(listed(opened, RECORD_WORKSPACE, at("g2", NULL, NULL, NULL)), "b a ");
    wait_for(opened, 4 * NS_PER_S); // a workspace takes 3.49 s
    ck_assert_str_eq(listed(opened, RECORD_WORKSPACE, at("g2", NULL, NULL, NULL)), "b ");
    must(opened, "{\"do\": \"workspace.create\", \"name\": \"c\", \"resource_group\": \"g2\"}");
    must(opened, "{\"do\": \"workspace.delete\", \"name\": \"b\", \"resource_group\": \"g2\"}");
    wait_for(opened, 4 * NS_PER_S);
    ck_assert_str_eq(listed(opened, RECORD_WORKSPACE, at("g2", NULL, NULL, NULL)), "c ");
    ck_assert_str_eq(listed(opened, RECORD_WORKSPACE, at(NULL, NULL, NULL, NULL)), "w1 c ");
    ck_assert_ptr_null(session_find(opened->session, RECORD_WORKSPACE, at("g2", NULL, NULL, "a")));
    must(opened, "{\"do\": \"group.delete\", \"name\": \"g1\"}");
    wait_for(opened, 4 * NS_PER_S);
    ck_assert_str_eq(listed(opened, RECORD_EXPERIMENT, at(NULL, NULL, NULL, NULL)), "");
    ck_assert_str_eq(listed(opened, RECORD_STORAGE, at(NULL, NULL, NULL, NULL)), "free ");
    must(opened, "{\"do\": \"workspace.delete\", \"name\": \"c\", \"resource_group\": \"g2\"}");
    wait_for(opened, 4 * NS_PER_S);
    ck_assert_str_eq(listed(opened, RECORD_WORKSPACE, at("g2", NULL, NULL, NULL)), "");
    must(opened, "{\"do\": \"workspace.create\", \"name\": \"d\", \"resource_group\": \"g2\"}");
    ck_assert_str_eq(listed(opened, RECORD_WORKSPACE, at("g2", NULL, NULL, NULL)), "d ");
    close_session(opened);
}
END_TEST

START_TEST(stored_commands_contain_no_secrets)
{
    Opened *opened = open_session();
    begin(opened);
    static const char cluster[] =
        "{\"do\": \"cluster.create\", \"name\": \"c\", \"workspace\": \"w1\", \"resource_group\": "
        "\"g1\", \"config\": {\"properties\": {\"vmSize\": \"STANDARD_NC6\", \"scaleSettings\": "
        "{\"manual\": {\"targetNodeCount\": 1}}, \"userAccountSettings\": {\"adminUserName\": "
        "\"me\", \"adminUserPassword\": \"TOPSECRET\"}, \"nodeSetup\": {\"mountVolumes\": "
        "{\"azureFileShares\": [{\"azureFileUrl\": \"https://acc1.file.core.windows.net/s1\", "
        "\"relativeMountPath\": \"x\", \"credentials\": {\"accountKey\": \"TOPSECRET\"}}]}}}}}";
    static const char kept[] =
        "{\"tags\": {\"value\": \"seen\"}, \"properties\": {\"Credentials\": {\"AccountKey\": "
        "\"TOPSECRET\"}, \"secrets\": [{\"name\": \"n\", \"value\": \"TOPSECRET\"}], "
        "\"environmentVariables\": [{\"name\": \"n\", \"value\": \"seen\"}]}}";
    static const char expected[] =
        "{\"tags\":{\"value\":\"seen\"},\"properties\":{\"Credentials\":{},\"secrets\":[{\"name\":"
        "\"n\"}],\"environmentVariables\":[{\"name\":\"n\",\"value\":\"seen\"}]}}";
    ck_assert_str_eq(ask_with(opened, cluster, kept), "");
    Status status = {0};
    opened = check_reopened(opened, "kept");
    Record *record = session_find(opened->session, RECORD_CLUSTER, at("g1", "w1", NULL, "c"));
    Text text = {0};
    json_print(&text, record_kept(record), JSON_COMPACT);
    ck_assert_str_eq(text_string(&text), expected);
    text_clear(&text);
    ck_assert(session_export(opened->session, &text, &status));
    ck_assert_ptr_null(strstr(text_string(&text), "TOPSECRET"));
    int64_t sequence = session_sequence(opened->session), written_ns = record->written_ns;
    ck_assert(session_keep(opened->session, record, parse(kept), &status)); // nothing new
    ck_assert_int_eq(session_sequence(opened->session), sequence);
    ck_assert(session_keep(opened->session, record, parse("{\"tags\": {}}"), &status));
    ck_assert_int_gt(record->written_ns, written_ns);
    written_ns = record->written_ns;
    ck_assert(session_keep(opened->session, record, parse("{\"tags\": 1}"), &status));
    ck_assert_int_gt(record->written_ns, written_ns); // two changes, two ETags
    must(opened, "{\"do\": \"group.create\", \"name\": \"later\"}");
    commit(opened);
    close_session(opened);
    opened = open_session();
    record = session_find(opened->session, RECORD_CLUSTER, at("g1", "w1", NULL, "c"));
    ck_assert_int_eq(json_member(record_kept(record), "tags")->integer, 1);
    ck_assert_int_gt(record->written_ns, written_ns - 2);
    check_export(opened, "notes");
    close_session(opened);
    text_free(&text);
}
END_TEST

START_TEST(a_refused_command_is_entered_nowhere)
{
    Opened *opened = open_session();
    begin(opened);
    int64_t sequence = session_sequence(opened->session);
    static const struct {
        const char *command, *problem;
    } rows[] = {
        {"{\"do\": \"workspace.create\", \"name\": \"w\", \"resource_group\": \"none\"}",
         "The specified resource group none is not found"},
        {"{\"do\": \"group.create\", \"name\": \"g\", \"at\": \"1s\"}",
         "the command is applied now"},
        {"{\"do\": \"group.create\", \"name\": \"g\", \"after\": \"cluster c ready\"}",
         "cannot have"},
        {"{\"do\": \"file.upload\", \"name\": \"acc1/s1\", \"file\": \"x\", \"content\": "
         "\"/etc/passwd\"}",
         "cannot upload files of this machine"},
        {"{\"do\": \"cluster.create\", \"name\": \"c\", \"config\": \"cluster.json\"}",
         "cannot name other files"},
        {"{\"do\": \"job.create\", \"name\": \"j\", \"cluster\": \"none\", \"config\": "
         "{\"properties\": {\"nodeCount\": 1}}}",
         "stdOutErrPathPrefix"},
        {"{\"do\": \"node.reboot\", \"cluster\": \"none\"}", "none"},
        {"{\"do\": \"group.destroy\", \"name\": \"g\"}", "group.destroy"},
        {"{}", "do"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *problem = ask(opened, rows[i].command);
        ck_assert_msg(strstr(problem, rows[i].problem) != NULL, "%s: %s", rows[i].command, problem);
    }
    ck_assert_int_eq(session_sequence(opened->session), sequence);
    check_export(opened, "refused");
    close_session(opened);
}
END_TEST

/* Not even for the command that has its number instead: a reference to a secret of the same name
 * has no value. */
START_TEST(the_secrets_of_a_refused_command_are_not_kept)
{
    static const char job[] =
        "{\"do\": \"job.create\", \"name\": \"j\", \"cluster\": \"%s\", \"experiment\": \"e\", "
        "\"workspace\": \"w1\", \"resource_group\": \"g1\", \"config\": {\"properties\": "
        "{\"nodeCount\": 1, \"customToolkitSettings\": {\"commandLine\": \"true\"}, "
        "\"stdOutErrPathPrefix\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/m\", \"mountVolumes\": "
        "{\"azureFileShares\": [{\"azureFileUrl\": \"https://acc1.file.core.windows.net/s1\", "
        "\"relativeMountPath\": \"m\"}]}, \"secrets\": [{\"name\": \"KEY\", %s}]}}}";
    static const char reference[] = "\"valueSecretReference\": {\"sourceVault\": {\"id\": \"/v\"}, "
                                    "\"secretUrl\": \"https://v\"}";
    Opened *opened = open_session();
    begin(opened);
    must(opened,
         "{\"do\": \"cluster.create\", \"name\": \"c\", \"workspace\": \"w1\", \"resource_group\": "
         "\"g1\", \"config\": {\"properties\": {\"vmSize\": \"STANDARD_NC6\", \"scaleSettings\": "
         "{\"manual\": {\"targetNodeCount\": 1}}}}}");
    const int64_t next = session_sequence(opened->session) + 1;
    const char *setting = arena_printf(arena, "secrets of %" PRId64, next);
    const char *hidden = "\"value\": \"TOPSECRET\"";
    ck_assert_str_ne(ask(opened, arena_printf(arena, job, "none", hidden)), "");
    ck_assert_ptr_null(store_setting(opened->store, arena, setting));
    must(opened, arena_printf(arena, job, "c", reference));
    ck_assert_int_eq(session_sequence(opened->session), next);
    opened = check_reopened(opened, "secrets");
    const JobSpec *spec = world_job(session_world(opened->session), (JobId){0})->spec;
    ck_assert_ptr_null(spec->environment[spec->environment_count - 1].secret);
    close_session(opened);
}
END_TEST

START_TEST(many_jobs_are_found_at_once)
{
    Opened *opened = open_session();
    begin(opened);
    enum { EXPERIMENTS = 3000 };
    for (int i = 0; i < EXPERIMENTS; i++)
        must(opened,
             arena_printf(arena,
                          "{\"do\": \"experiment.create\", \"name\": \"x%d\", \"workspace\": "
                          "\"w1\", \"resource_group\": \"g1\"}",
                          i));
    for (int i = 0; i < EXPERIMENTS; i++) {
        const Record *record = session_find(opened->session, RECORD_EXPERIMENT,
                                            at("g1", "w1", NULL, arena_printf(arena, "X%d", i)));
        ck_assert_int_eq(record->sequence, 6 + i);
    }
    uint32_t position = 0;
    int count = 0;
    while (session_next(opened->session, RECORD_EXPERIMENT, at("g1", "w1", NULL, NULL), &position))
        count++;
    ck_assert_int_eq(count, EXPERIMENTS + 1);
    close_session(opened);
}
END_TEST

START_TEST(guids_come_from_the_seed)
{
    Opened *opened = open_session();
    char first[GUID_TEXT], again[GUID_TEXT], other[GUID_TEXT];
    session_guid(opened->session, "request", 1, first);
    session_guid(opened->session, "request", 1, again);
    ck_assert_str_eq(first, again);
    ck_assert_uint_eq(strlen(first), 36);
    ck_assert_int_eq(first[14], '4');
    ck_assert_ptr_nonnull(strchr("89ab", first[19]));
    session_guid(opened->session, "request", 2, other);
    ck_assert_str_ne(first, other);
    session_guid(opened->session, "tenant", 1, other);
    ck_assert_str_ne(first, other);
    close_session(opened);
}
END_TEST

/* --- Scripts --- */

static const Job *run_script(Opened *opened, const char *name, const char *script)
{
    must(opened,
         arena_printf(
             arena,
             "{\"do\": \"job.create\", \"name\": \"%s\", \"cluster\": \"c1\", \"experiment\": "
             "\"e\", "
             "\"resource_group\": \"g1\", \"workspace\": \"w1\", \"config\": {\"properties\": "
             "{\"nodeCount\": 2, \"horovodSettings\": {\"pythonScriptFilePath\": "
             "\"$AZ_BATCHAI_JOB_MOUNT_ROOT/m/%s\"}, \"stdOutErrPathPrefix\": "
             "\"$AZ_BATCHAI_JOB_MOUNT_ROOT/m\", \"mountVolumes\": {\"azureFileShares\": "
             "[{\"azureFileUrl\": \"https://acc1.file.core.windows.net/s1\", "
             "\"relativeMountPath\": \"m\"}]}}}}",
             name, script));
    session_advance(opened->session, session_now_ns(opened->session) + NS_PER_DAY);
    const World *world = session_world(opened->session);
    return world_job(world, (JobId){world_job_count(world) - 1});
}

static void append(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

static const char *output_of(Opened *opened, const Job *job, const char *name)
{
    Text text = {0};
    ck_assert(job_file_write(session_world(opened->session), job, name,
                             session_now_ns(opened->session), (ByteSink){&text, append}));
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

START_TEST(a_script_that_is_not_on_its_share_ends_the_job_at_once)
{
    Opened *opened = open_session();
    begin(opened);
    must(opened, "{\"do\": \"cluster.create\", \"name\": \"c1\", \"workspace\": \"w1\", "
                 "\"resource_group\": \"g1\", \"config\": {\"properties\": {\"vmSize\": "
                 "\"STANDARD_NC6\", \"scaleSettings\": {\"manual\": {\"targetNodeCount\": 2}}}}}");
    const Job *job = run_script(opened, "unknown", "a/cifar_cnn_distributed.py");
    ck_assert_int_eq(job->state, JOB_SUCCEEDED); // nothing was ever put there
    must(opened, "{\"do\": \"file.upload\", \"name\": \"acc1/s1\", \"file\": \"other.py\", "
                 "\"content\": {\"bytes\": 100}}");
    job = run_script(opened, "early", "a/cifar_cnn_distributed.py");
    ck_assert_int_eq(job->state, JOB_FAILED);
    ck_assert_int_eq(job->exit_code, 2);
    ck_assert_int_eq(job->ended_ns, job->attempt->program_ns);
    ck_assert_str_eq(output_of(opened, job, "stdout.txt"), "");
    const char *line = "m/a/cifar_cnn_distributed.py': [Errno 2] No such file or directory\n";
    const char *errors = output_of(opened, job, "stderr.txt");
    const char *first = strstr(errors, line); // of each rank one
    ck_assert(first != NULL && strstr(first + 1, line) != NULL);
    must(opened, "{\"do\": \"file.upload\", \"name\": \"acc1/s1\", \"file\": "
                 "\"a/cifar_cnn_distributed.py\", \"content\": {\"bytes\": 100}}");
    job = run_script(opened, "late", "a/cifar_cnn_distributed.py");
    ck_assert_int_eq(job->state, JOB_SUCCEEDED);
    ck_assert_ptr_null(strstr(output_of(opened, job, "stderr.txt"), "Errno"));
    check_export(opened, "scripts");
    close_session(opened);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("session");
    TCase *tests = tcase_create("session");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, random_sessions_match_their_scenarios_and_open_again);
    tcase_add_test(tests, resources_keep_their_properties_unless_a_command_changes_them);
    tcase_add_test(tests, triggers_and_faults_of_the_scenario_keep_their_meaning);
    tcase_add_test(tests, a_session_opens_again_without_its_files);
    tcase_add_test(tests, records_are_found_without_case_and_listed_in_order);
    tcase_add_test(tests, stored_commands_contain_no_secrets);
    tcase_add_test(tests, a_refused_command_is_entered_nowhere);
    tcase_add_test(tests, the_secrets_of_a_refused_command_are_not_kept);
    tcase_add_test(tests, many_jobs_are_found_at_once);
    tcase_add_test(tests, guids_come_from_the_seed);
    tcase_add_test(tests, a_script_that_is_not_on_its_share_ends_the_job_at_once);
    suite_add_tcase(suite, tests);
    return suite;
}

/* emu/control/control.h: the clock, faults and events by request. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "emu/emulator.h"
#include "emu/fork.h"
#include "emu/session/export.h"
#include "sim/base/units.h"
#include "tests/emu/operations_log.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static Arena *arena;
static const char *folder;
static Emulator *emulator;

static void set_up(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
    Problems problems = problems_create(arena), warnings = problems_create(arena);
    const EmulatorSettings settings = {.storage_suffix = "core.windows.net"};
    emulator = emulator_open(arena, folder, NULL, (ScenarioOverrides){0}, &settings,
                             (Clock){.kind = CLOCK_MANUAL}, &problems, &warnings);
    ck_assert_msg(emulator != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    clock_start(&emulator->pace.clock, 0, 0);
}

static void tear_down(void)
{
    emulator_close(emulator);
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static HttpResponse ask_all(const char *operation, const HttpField *query, int32_t query_count,
                            const char *body, const char *part)
{
    HttpRequest request = {.arena = arena,
                           .method_text = "POST",
                           .target = "/trainyard",
                           .query_text = "",
                           .query = query,
                           .query_count = query_count,
                           .body = body,
                           .body_bytes = strlen(body)};
    HttpResponse response = http_response(0);
    const ControlCall call = {.control = &emulator->control,
                              .request = &request,
                              .response = &response,
                              .arena = arena,
                              .match = {.part_count = part != NULL, .parts = {part}}};
    const ControlRoute *row = control_routes;
    while (strcmp(row->route.operation, operation) != 0)
        row++;
    row->handler(&call);
    response.operation = operation;
    operations_log(&response);
    return response;
}

static HttpResponse ask(const char *operation, const char *body, const char *part)
{
    return ask_all(operation, NULL, 0, body, part);
}

/* The events; the parameters of the query, if they are not NULL. */
static HttpResponse ask_events(const char *since, const char *follow)
{
    HttpField query[2];
    int32_t count = 0;
    if (since != NULL)
        query[count++] = (HttpField){"since", since};
    if (follow != NULL)
        query[count++] = (HttpField){"follow", follow};
    return ask_all("Events_Watch", query, count, "", NULL);
}

/* The clock after a request to change it; fails the test if the request was refused. */
static const Json *tell(const char *body)
{
    HttpResponse response = ask("Clock_Tell", body, NULL);
    ck_assert_msg(response.status == 200, "%s: %d %s", body, (int)response.status, response.body);
    Problems problems = problems_create(arena);
    return json_parse(arena, "clock", response.body, response.body_bytes, JSON_STRICT, &problems);
}

static int64_t now_of(const Json *clock)
{
    return json_member(clock, "now_ns")->integer;
}

static void refused(const char *operation, const char *body, int32_t status, const char *part)
{
    HttpResponse response = ask(operation, body, NULL);
    ck_assert_msg(response.status == status, "%s: %d %s", body, (int)response.status,
                  response.body);
    ck_assert_msg(strstr(response.body, part) != NULL, "%s: %s", body, response.body);
}

static void command(const char *text)
{
    Problems problems = problems_create(arena);
    const Json *tree = json_parse(arena, "command", text, strlen(text), JSON_STRICT, &problems);
    ck_assert_msg(tree != NULL && session_command(emulator->session, tree, NULL, &problems), "%s",
                  problems.count > 0 ? problems.items[0].message : "");
}

#define IN_WORKSPACE "\"resource_group\": \"g\", \"workspace\": \"w\""

static void create_cluster(void)
{
    command("{\"do\": \"group.create\", \"name\": \"g\"}");
    command("{\"do\": \"workspace.create\", \"name\": \"w\", \"resource_group\": \"g\"}");
    command("{\"do\": \"experiment.create\", \"name\": \"e\", " IN_WORKSPACE "}");
    command("{\"do\": \"storage.create\", \"name\": \"acc\"}");
    command("{\"do\": \"share.create\", \"name\": \"acc/s\", \"tier\": \"standard\"}");
    command("{\"do\": \"cluster.create\", \"name\": \"gpu\", " IN_WORKSPACE
            ", \"config\": {\"properties\": {\"vmSize\": \"STANDARD_NC6\", \"scaleSettings\": "
            "{\"manual\": {\"targetNodeCount\": 2}}}}}");
}

static void create_job_in(const char *experiment, const char *toolkit)
{
    command(arena_printf(
        arena,
        "{\"do\": \"job.create\", \"name\": \"train\", \"cluster\": \"gpu\", \"experiment\": "
        "\"%s\", " IN_WORKSPACE ", \"config\": {\"properties\": {\"nodeCount\": 1, %s, "
        "\"stdOutErrPathPrefix\": \"$AZ_BATCHAI_JOB_MOUNT_ROOT/myshare\", \"mountVolumes\": "
        "{\"azureFileShares\": [{\"azureFileUrl\": \"https://acc.file.core.windows.net/s\", "
        "\"relativeMountPath\": \"myshare\"}]}}}}",
        experiment, toolkit));
}

static void create_job_of(const char *toolkit)
{
    create_job_in("e", toolkit);
}

static void create_job(void)
{
    create_job_of("\"customToolkitSettings\": {\"commandLine\": \"make\"}");
}

/* --- The clock --- */

START_TEST(the_clock_is_shown_and_moved)
{
    const Json *clock = tell("{\"do\": \"advance\", \"by\": \"90s\"}");
    ck_assert_str_eq(json_member(clock, "clock")->text, "manual");
    ck_assert_str_eq(json_member(clock, "now")->text, "2018-07-18T17:46:30Z");
    ck_assert_int_eq(now_of(clock), 90 * NS_PER_S);
    ck_assert_int_eq(json_member(clock, "next_event")->kind, JSON_NULL);
    clock = tell("{\"do\": \"run-until\", \"until\": \"2018-07-18T18:00:00Z\"}");
    ck_assert_int_eq(now_of(clock), 15 * NS_PER_MIN);
    clock = tell("{\"do\": \"rate\", \"rate\": \"x60\"}");
    ck_assert_str_eq(json_member(clock, "clock")->text, "x60");
    emulator->pace.machine_ns = NS_PER_S;
    ck_assert_int_eq(clock_now(&emulator->pace.clock, NS_PER_S), 16 * NS_PER_MIN);
    ck_assert(json_member(tell("{\"do\": \"pause\"}"), "paused")->boolean);
    ck_assert_int_eq(clock_now(&emulator->pace.clock, NS_PER_MIN), 16 * NS_PER_MIN);
    ck_assert(!json_member(tell("{\"do\": \"resume\"}"), "paused")->boolean);
    HttpResponse shown = ask("Clock_Show", "", NULL);
    ck_assert_ptr_nonnull(strstr(shown.body, "\"paused\": false"));
}
END_TEST

START_TEST(the_last_jump_is_undone)
{
    refused("Clock_Tell", "{\"do\": \"undo\"}", 409, "there is no jump of the clock to undo");
    refused("Clock_Tell", "{\"do\": \"undo\", \"accept\": \"yes\"}", 400, "accept");
    const Json *clock = tell("{\"do\": \"advance\", \"by\": \"90s\"}");
    const Json *undo = json_member(clock, "undo");
    ck_assert_str_eq(json_member(undo, "to")->text, "2018-07-18T17:45:00Z");
    ck_assert_int_eq(json_member(undo, "entries")->integer, 0);
    const Json *done = tell("{\"do\": \"undo\"}");
    ck_assert_int_eq(json_member(done, "now_ns")->integer, 0);
    ck_assert_int_eq(json_member(done, "from_ns")->integer, 90 * NS_PER_S);
    ck_assert(emulator_is_over(emulator));
}
END_TEST

START_TEST(the_state_is_copied_for_a_fork)
{
    ck_assert_int_eq(ask("Copies_Make", "", "fork-1").status, 201);
    const char *copy = arena_printf(arena, "%s/copies/fork-1/state.sqlite", folder);
    ck_assert_int_eq(access(copy, F_OK), 0);
    ck_assert_int_eq(ask("Copies_Make", "", "fork-1").status, 409);
    ck_assert_int_eq(ask("Copies_Make", "", "../outside").status, 400);
    ck_assert_int_eq(ask("Copies_Make", "", "").status, 400);
    fork_withdraw_offers(emulator->store);
    ck_assert_int_ne(access(copy, F_OK), 0);
}
END_TEST

START_TEST(a_step_goes_through_the_next_event)
{
    create_cluster();
    const Json *clock = tell("{\"do\": \"step\"}");
    int64_t first_ns = now_of(clock);
    ck_assert_int_gt(first_ns, 0);
    ck_assert_int_gt(json_member(clock, "next_event_ns")->integer, first_ns);
    int64_t next_ns = json_member(clock, "next_event_ns")->integer;
    ck_assert_int_eq(now_of(tell("{\"do\": \"step\", \"count\": 1}")), next_ns);
    tell("{\"do\": \"step\", \"count\": 1000}"); // as many as there are
    ck_assert_int_eq(session_now_ns(emulator->session),
                     clock_now(&emulator->pace.clock, emulator->pace.machine_ns));
}
END_TEST

START_TEST(time_runs_until_something_is_so)
{
    const World *world = session_world(emulator->session);
    create_cluster();
    int64_t steady_ns = now_of(tell("{\"do\": \"run-until\", \"until\": \"cluster gpu steady\"}"));
    const Cluster *cluster = world_cluster(world, (ClusterId){0});
    ck_assert_int_eq(cluster->allocation, ALLOCATION_STEADY);
    ck_assert_int_eq(cluster->allocation_since_ns, steady_ns);
    // It is so already.
    ck_assert_int_eq(now_of(tell("{\"do\": \"run-until\", \"until\": \"cluster GPU steady\"}")),
                     steady_ns);
    int64_t idle_ns =
        now_of(tell("{\"do\": \"run-until\", \"until\": \"cluster gpu idle >= 2 for 1m\"}"));
    ck_assert_int_eq(cluster->node_count[NODE_IDLE], 2);
    ck_assert_int_ge(idle_ns, steady_ns + NS_PER_MIN);
    create_job();
    tell("{\"do\": \"run-until\", \"until\": \"job train started + 5s\"}");
    const Job *job = world_job(world, (JobId){0});
    ck_assert_int_eq(session_now_ns(emulator->session), job->started_ns + 5 * NS_PER_S);
    int64_t done_ns = now_of(tell("{\"do\": \"run-until\", \"until\": \"job train completed\"}"));
    ck_assert_int_eq(done_ns, job->ended_ns);
    // The limit of its run, a week ahead, is nothing to wait for any more.
    const Json *rest = tell("{\"do\": \"step\", \"count\": 1000}");
    ck_assert_int_lt(now_of(rest), done_ns + NS_PER_HOUR);
    ck_assert_int_eq(json_member(rest, "next_event")->kind, JSON_NULL);
    command("{\"do\": \"cluster.delete\", \"name\": \"gpu\", " IN_WORKSPACE "}");
    tell("{\"do\": \"run-until\", \"until\": \"cluster gpu deleted\"}");
    tell("{\"do\": \"run-until\", \"until\": \"cluster gpu deleted\"}");
}
END_TEST

START_TEST(time_runs_to_the_begin_of_an_epoch_and_to_each_return_to_the_queue)
{
    create_cluster();
    create_job_of(
        "\"horovodSettings\": {\"pythonScriptFilePath\": \"a/cifar_cnn_distributed.py\"}");
    const Job *job = world_job(session_world(emulator->session), (JobId){0});
    int64_t first_ns = now_of(tell("{\"do\": \"run-until\", \"until\": \"job train epoch 1\"}"));
    ck_assert_int_eq(first_ns, job->attempt->training_ns);
    int64_t third_ns = now_of(tell("{\"do\": \"run-until\", \"until\": \"job train epoch 3\"}"));
    ck_assert_int_eq(third_ns, job_epoch_times(job, 2).begin_ns);
    ck_assert_int_eq(now_of(tell("{\"do\": \"run-until\", \"until\": \"job train epoch 2\"}")),
                     third_ns);
    for (int i = 1; i <= 2; i++) {
        ck_assert_int_eq(ask("Faults_Add",
                             "{\"do\": \"node.crash\", \"job\": \"train\", \"recovery\": "
                             "\"replace\", \"duration\": \"1m\"}",
                             NULL)
                             .status,
                         200);
        tell(arena_printf(arena, "{\"do\": \"run-until\", \"until\": \"job train requeued %d\"}",
                          i));
        ck_assert_int_ge(job->starts, i);
        tell("{\"do\": \"run-until\", \"until\": \"job train training\"}");
        ck_assert_int_eq(job->starts, i + 1);
    }
}
END_TEST

START_TEST(the_time_after_a_moment_counts_as_the_wait_for_it)
{
    create_cluster();
    int64_t before_ns = session_now_ns(emulator->session);
    refused("Clock_Tell",
            "{\"do\": \"run-until\", \"until\": \"cluster gpu ready + 1000d\", \"within\": \"1h\"}",
            409, "did not happen in time");
    ck_assert_int_eq(session_now_ns(emulator->session), before_ns + NS_PER_HOUR);
    create_job();
    // The moment has happened; the answer has named what to ask for now.
    before_ns = session_now_ns(emulator->session);
    HttpResponse response =
        ask("Clock_Tell",
            "{\"do\": \"run-until\", \"until\": \"job train completed + 2h\", \"within\": \"1h\"}",
            NULL);
    ck_assert_int_eq(response.status, 409);
    const char *hint = strstr(response.body, "the moment has happened: \\\"until\\\": \\\"");
    ck_assert_msg(hint != NULL, "%s", response.body);
    const char *instant = strstr(hint, "2018-");
    const char *body = arena_printf(arena, "{\"do\": \"run-until\", \"until\": \"%.*s\"}",
                                    (int)strcspn(instant, "\\"), instant);
    ck_assert_int_gt(now_of(tell(body)), before_ns + NS_PER_HOUR);
}
END_TEST

/* One minute after a condition that already holds, counted from `came_ns`; INT64_MAX: from now. */
static void check_a_minute_after(const char *moment, int64_t came_ns)
{
    const int64_t before_ns = session_now_ns(emulator->session);
    const int64_t due_ns = (came_ns == INT64_MAX ? before_ns : came_ns) + NS_PER_MIN;
    const char *body =
        arena_printf(arena, "{\"do\": \"run-until\", \"until\": \"%s + 1m\"}", moment);
    const int64_t now_ns = now_of(tell(body));
    ck_assert_msg(now_ns == (due_ns > before_ns ? due_ns : before_ns),
                  "%s: %" PRId64 " instead of %" PRId64, moment, now_ns, due_ns);
    ck_assert_msg(came_ns == INT64_MAX || now_of(tell(body)) == now_ns, "%s: again", moment);
}

START_TEST(the_time_after_a_moment_counts_from_the_moment)
{
    create_cluster();
    const World *world = session_world(emulator->session);
    const Cluster *cluster = world_cluster(world, (ClusterId){0});
    tell("{\"do\": \"run-until\", \"until\": \"cluster gpu steady\"}");
    tell("{\"do\": \"advance\", \"by\": \"20s\"}");
    check_a_minute_after("cluster gpu steady", cluster->allocation_since_ns);
    tell("{\"do\": \"run-until\", \"until\": \"cluster gpu ready\"}");
    check_a_minute_after("cluster gpu ready", INT64_MAX);
    create_job_of(
        "\"horovodSettings\": {\"pythonScriptFilePath\": \"a/cifar_cnn_distributed.py\"}");
    const Job *job = world_job(world, (JobId){0});
    static const char *const moments[] = {"job train submitted", "job train started",
                                          "job train training", "job train epoch 2",
                                          "job train completed"};
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        tell(arena_printf(arena, "{\"do\": \"run-until\", \"until\": \"%s\"}", moments[i]));
        tell("{\"do\": \"advance\", \"by\": \"1s\"}");
        const int64_t came_ns[] = {job->created_ns, job->started_ns,
                                   i < 2 ? 0 : job->attempt->training_ns,
                                   i < 3 ? 0 : job_epoch_times(job, 1).begin_ns, job->ended_ns};
        ck_assert_int_lt(came_ns[i], session_now_ns(emulator->session));
        check_a_minute_after(moments[i], came_ns[i]);
    }
    // An hour after an event that ended a minute ago.
    const int64_t due_ns = job->ended_ns + NS_PER_HOUR;
    ck_assert_int_eq(
        now_of(tell("{\"do\": \"run-until\", \"until\": \"job train completed + 1h\"}")), due_ns);
}
END_TEST

START_TEST(one_request_runs_so_many_events_and_no_more)
{
    static const char *const bodies[] = {
        "{\"do\": \"step\", \"count\": 1000000}", "{\"do\": \"advance\", \"by\": \"30d\"}",
        "{\"do\": \"run-until\", \"until\": \"job train completed + 30d\"}",
        "{\"do\": \"run-until\", \"until\": \"cluster gpu idle >= 9\"}"};
    create_cluster();
    create_job();
    const World *world = session_world(emulator->session);
    emulator->control.events_max = 2;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        const int64_t before = world_events(world);
        refused("Clock_Tell", bodies[i], 409, "the time is not reached after 2 events");
        ck_assert_int_ge(world_events(world), before + 2);
        ck_assert_int_lt(world_events(world), before + 10); // of one instant
    }
}
END_TEST

static void run_until(const char *until)
{
    tell(arena_printf(arena, "{\"do\": \"run-until\", \"until\": \"%s\"}", until));
}

#define IN_SECOND "\"resource_group\": \"g\", \"workspace\": \"w2\""

/* "gpu" of workspace "w" is ready; that of "w2" is newer, and smaller. */
static void create_twins(void)
{
    create_cluster();
    run_until("cluster gpu ready");
    command("{\"do\": \"workspace.create\", \"name\": \"w2\", \"resource_group\": \"g\"}");
    command("{\"do\": \"cluster.create\", \"name\": \"gpu\", " IN_SECOND
            ", \"config\": {\"properties\": {\"vmSize\": \"STANDARD_NC6\", \"scaleSettings\": "
            "{\"manual\": {\"targetNodeCount\": 1}}}}}");
}

START_TEST(of_clusters_of_one_name_the_newest_that_is_not_being_deleted_is_meant)
{
    create_twins();
    const Cluster *second = world_cluster(session_world(emulator->session), (ClusterId){1});
    const int64_t before_ns = session_now_ns(emulator->session);
    run_until("cluster w/gpu ready");
    run_until("cluster W/gpu idle == 2");
    ck_assert_int_eq(session_now_ns(emulator->session), before_ns);
    run_until("cluster gpu ready");
    ck_assert_int_eq(second->node_count[NODE_IDLE], 1);
    run_until("cluster gpu idle == 1");
    command("{\"do\": \"cluster.delete\", \"name\": \"gpu\", " IN_SECOND "}");
    const int64_t deleted_ns = session_now_ns(emulator->session);
    run_until("cluster gpu ready");
    run_until("cluster gpu idle == 2");
    ck_assert_int_eq(session_now_ns(emulator->session), deleted_ns);
    run_until("cluster w2/gpu deleted");
    ck_assert_int_eq(second->provisioning, PROVISIONING_DELETED);
    run_until("cluster w2/gpu nodes == 0");
    command("{\"do\": \"cluster.delete\", \"name\": \"gpu\", " IN_WORKSPACE "}");
    run_until("cluster w/gpu deleted");
    refused("Clock_Tell",
            "{\"do\": \"run-until\", \"until\": \"cluster gpu idle >= 1\", \"within\": \"1h\"}",
            409, "does not happen");
}
END_TEST

START_TEST(a_job_of_the_same_name_is_not_listened_to)
{
    create_cluster();
    command("{\"do\": \"experiment.create\", \"name\": \"e2\", " IN_WORKSPACE "}");
    static const char toolkit[] = "\"customToolkitSettings\": {\"commandLine\": \"sleep 300\"}";
    run_until("cluster gpu ready");
    create_job_in("e", toolkit);
    tell("{\"do\": \"advance\", \"by\": \"1m\"}");
    create_job_in("e2", toolkit);
    const World *world = session_world(emulator->session);
    const Job *first = world_job(world, (JobId){0}), *second = world_job(world, (JobId){1});
    run_until("job w/e/train started");
    ck_assert_int_eq(second->started_ns, INT64_MAX);
    run_until("job w/e2/train running");
    ck_assert_int_eq(second->state, JOB_RUNNING);
    run_until("job train completed");
    ck_assert_int_lt(first->ended_ns, session_now_ns(emulator->session));
    ck_assert_int_eq(second->ended_ns, session_now_ns(emulator->session));
}
END_TEST

START_TEST(invalid_requests_to_the_clock_are_refused)
{
    create_cluster();
    static const struct {
        const char *body;
        int32_t status;
        const char *part;
    } rows[] = {
        {"", 400, "error"},
        {"[]", 400, "not an object"},
        {"{\"do\": \"fly\"}", 400, "fly"},
        {"{\"do\": \"advance\"}", 400, "needs \\\"by\\\""},
        {"{\"do\": \"advance\", \"by\": \"tomorrow\"}", 400, "tomorrow"},
        {"{\"do\": \"rate\", \"rate\": \"fast\"}", 400, "x60"},
        {"{\"do\": \"run-until\", \"until\": \"lunch\"}", 400,
         "not an instant, a moment or a condition"},
        {"{\"do\": \"run-until\", \"until\": \"job train completed\"}", 404, "no job"},
        {"{\"do\": \"run-until\", \"until\": \"cluster w2/gpu ready\"}", 404, "no cluster"},
        {"{\"do\": \"run-until\", \"until\": \"cluster nosuch idle >= 1\"}", 404,
         "no cluster \\\"nosuch\\\""},
        {"{\"do\": \"run-until\", \"until\": \"job nosuch running\"}", 404, "no job"},
        {"{\"do\": \"run-until\", \"until\": \"share acc/nosuch transfers == 0\"}", 404,
         "no share"},
        {"{\"do\": \"run-until\", \"until\": \"2018-07-18T17:00:00Z\"}", 400, "world's time"},
        {"{\"do\": \"run-until\", \"until\": \"cluster gpu nodes >= 5\", \"within\": \"1h\"}", 409,
         "\\\"cluster gpu nodes >= 5\\\" does not happen: no event is pending"},
        {"{\"do\": \"run-until\", \"until\": \"2018-07-18T17:46:00Z\"}", 409, "past"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused("Clock_Tell", rows[i].body, rows[i].status, rows[i].part);
    ck_assert_int_lt(session_now_ns(emulator->session), NS_PER_HOUR);
}
END_TEST

START_TEST(time_does_not_pass_where_no_event_is_pending)
{
    create_cluster();
    run_until("cluster gpu ready");
    const int64_t ready_ns = session_now_ns(emulator->session);
    static const char never[] = "{\"do\": \"run-until\", \"until\": \"cluster gpu idle >= 9\"}";
    refused("Clock_Tell", never, 409,
            "\\\"cluster gpu idle >= 9\\\" does not happen: no event is pending");
    ck_assert_int_eq(session_now_ns(emulator->session), ready_ns);
    // An event that is later than the limit: time passes to the limit.
    create_job();
    refused("Clock_Tell",
            "{\"do\": \"run-until\", \"until\": \"job train completed\", \"within\": \"1s\"}", 409,
            "\\\"job train completed\\\" did not happen in time");
    ck_assert_int_ge(session_now_ns(emulator->session), ready_ns + NS_PER_S);
}
END_TEST

START_TEST(a_jump_outlives_the_process)
{
    Status status = {0};
    tell("{\"do\": \"advance\", \"by\": \"2h\"}");
    ck_assert(store_commit(emulator->store, &status));
    ck_assert_str_eq(store_setting(emulator->store, arena, "now_ns"), "7200000000000");
}
END_TEST

/* --- Faults --- */

START_TEST(after_the_last_instant_nothing_is_done_any_more)
{
    create_cluster();
    tell("{\"do\": \"advance\", \"by\": \"106751d\"}");
    // From here on an answer's "now_ns" is more than a double holds, which our reader refuses.
    ck_assert_int_eq(ask("Clock_Tell", "{\"do\": \"advance\", \"by\": \"100000d\"}", NULL).status,
                     200);
    ck_assert_int_eq(session_now_ns(emulator->session), LAST_INSTANT_NS);
    for (int32_t i = 0; i < 3; i++)
        refused("Faults_Add", "{\"do\": \"node.crash\", \"cluster\": \"gpu\", \"node\": 0}", 409,
                "simulated time is over");
    ask("Clock_Tell", "{\"do\": \"rate\", \"rate\": \"x1000000\"}", NULL);
    for (int64_t machine_ns = 1; machine_ns < 4; machine_ns++)
        emulator_tick(emulator, machine_ns * NS_PER_DAY, 0);
    ask("Clock_Tell", "{\"do\": \"rate\", \"rate\": \"auto\"}", NULL);
    pace_polled(&emulator->pace);
    emulator_tick(emulator, 5 * NS_PER_DAY, 0);
    ck_assert_int_eq(ask("Clock_Tell", "{\"do\": \"step\"}", NULL).status, 200);
    ck_assert_int_eq(session_now_ns(emulator->session), LAST_INSTANT_NS);
    ck_assert_int_eq(emulator_next_ns(emulator), INT64_MAX);
}
END_TEST

START_TEST(faults_strike_the_world_now)
{
    create_cluster();
    tell("{\"do\": \"run-until\", \"until\": \"cluster gpu ready\"}");
    HttpResponse response =
        ask("Faults_Add", "{\"do\": \"node.reboot\", \"cluster\": \"gpu\", \"node\": 1}", NULL);
    ck_assert_int_eq(response.status, 200);
    ck_assert_int_eq(
        world_cluster(session_world(emulator->session), (ClusterId){0})->node_count[NODE_PREPARING],
        1);
    refused("Faults_Add", "{\"do\": \"node.reboot\", \"cluster\": \"gpu\", \"node\": 9}", 404,
            "no node at place 9");
    refused("Faults_Add", "{\"do\": \"node.preempt\", \"cluster\": \"gpu\"}", 409, "dedicated");
    refused("Faults_Add", "{\"do\": \"group.delete\", \"name\": \"g\"}", 400,
            "\\\"group.delete\\\" is not a fault");
    refused("Faults_Add", "{\"do\": \"node.preemt\", \"cluster\": \"gpu\"}", 400,
            "did you mean \\\"node.preempt\\\"?");
    refused("Faults_Add", "{\"fault\": \"node.crash\"}", 400, "\\\"do\\\"");
    refused("Faults_Add", "{\"do\": \"node.reboot\", \"cluster\": \"gpu\", \"at\": \"5s\"}", 400,
            "now");
}
END_TEST

static void reboot(const char *cluster)
{
    HttpResponse response = ask(
        "Faults_Add",
        arena_printf(arena, "{\"do\": \"node.reboot\", \"cluster\": \"%s\", \"node\": 1}", cluster),
        NULL);
    ck_assert_msg(response.status == 200, "%s: %s", cluster, response.body);
}

START_TEST(a_fault_strikes_the_newest_existing_resource_or_the_one_with_the_full_name)
{
    create_twins();
    run_until("cluster gpu ready");
    const World *world = session_world(emulator->session);
    const Cluster *first = world_cluster(world, (ClusterId){0});
    const Cluster *second = world_cluster(world, (ClusterId){1});
    reboot("w/gpu");
    ck_assert_int_eq(first->node_count[NODE_PREPARING], 1);
    ck_assert_int_eq(second->node_count[NODE_PREPARING], 0);
    reboot("gpu");
    ck_assert_int_eq(second->node_count[NODE_PREPARING], 1);
    run_until("cluster w/gpu idle == 2");
    command("{\"do\": \"workspace.delete\", \"name\": \"w2\", \"resource_group\": \"g\"}");
    run_until("cluster w2/gpu deleted");
    reboot("gpu");
    ck_assert_int_eq(first->node_count[NODE_PREPARING], 1);
    refused("Faults_Add", "{\"do\": \"node.reboot\", \"cluster\": \"w2/gpu\", \"node\": 1}", 404,
            "gpu");
    refused("Faults_Add",
            "{\"do\": \"queue.change\", \"cluster\": \"gpu\", \"queue\": \"q\", "
            "\"gpus\": 1}",
            400, "needs a cluster that has queues");
    refused("Faults_Add", "{\"do\": \"node.reboot\", \"cluster\": \"w3/gpu\", \"node\": 1}", 400,
            "unknown cluster \\\"w3/gpu\\\"");
}
END_TEST

START_TEST(a_queue_changes_now)
{
    create_cluster();
    command("{\"do\": \"workspace.create\", \"name\": \"w2\", \"resource_group\": \"g\"}");
    command("{\"do\": \"cluster.create\", \"name\": \"shared\", " IN_SECOND
            ", \"queues\": [{\"name\": \"a\", \"gpus_max\": 1}, {\"name\": \"b\"}]"
            ", \"config\": {\"properties\": {\"vmSize\": \"STANDARD_NC6\", \"scaleSettings\": "
            "{\"manual\": {\"targetNodeCount\": 1}}}}}");
    const World *world = session_world(emulator->session);
    ck_assert_int_eq(ask("Faults_Add",
                         "{\"do\": \"queue.change\", \"cluster\": \"shared\", \"queue\": \"a\", "
                         "\"gpus\": 1, \"gpus_max\": 3}",
                         NULL)
                         .status,
                     200);
    ck_assert_int_eq(world_queue_limit(world, (ClusterId){1}, 0).most, 3);
    refused(
        "Faults_Add",
        "{\"do\": \"queue.change\", \"cluster\": \"shared\", \"queue\": \"a\", \"gpus_max\": 0}",
        409, "below its guaranteed gpus");
    refused("Faults_Add",
            "{\"do\": \"queue.change\", \"cluster\": \"shared\", \"queue\": \"c\", \"gpus\": 0}",
            400, "unknown queue");
    ck_assert_int_eq(world_queue_limit(world, (ClusterId){1}, 0).most, 3);
}
END_TEST

static const Json *kind_of_fault(const Json *answer, const char *name)
{
    for (const Json *kind = json_member(answer, "kinds")->first; kind != NULL; kind = kind->next)
        if (strcmp(json_member(kind, "do")->text, name) == 0)
            return kind;
    ck_abort_msg("%s is not listed", name);
}

START_TEST(the_list_of_faults_says_which_members_each_needs_and_may_have)
{
    static const struct {
        const char *kind, *needs, *one_of, *may_have;
    } rows[] = {
        {"quota.change", "[\"family\",\"vcpus\"]", NULL, "[\"priority\"]"},
        {"queue.change", "[\"cluster\",\"queue\"]", NULL, "[\"gpus\",\"gpus_max\"]"},
        {"node.preempt", "[]", "[\"cluster\",\"job\"]", "[\"node\"]"},
        {"node.drain", "[]", "[\"cluster\",\"job\"]", "[\"node\",\"duration\",\"reason\"]"},
        {"node.resume", "[]", "[\"cluster\",\"job\"]", "[\"node\"]"},
        {"node.slow", "[\"speed\"]", "[\"cluster\",\"job\"]", "[\"node\"]"},
        {"api.error", "[]", NULL,
         "[\"method\",\"path\",\"status\",\"code\",\"retry_after\",\"chance\",\"skip\","
         "\"count\",\"seed\"]"},
        {"api.slow", "[]", NULL,
         "[\"method\",\"path\",\"rate\",\"chance\",\"skip\",\"count\",\"seed\"]"},
        {"api.reset", "[]", NULL, "[\"method\",\"path\",\"chance\",\"skip\",\"count\",\"seed\"]"},
    };
    const HttpResponse listed = ask("Faults_List", "", NULL);
    Problems problems = problems_create(arena);
    const Json *answer =
        json_parse(arena, "faults", listed.body, strlen(listed.body), JSON_STRICT, &problems);
    ck_assert_ptr_nonnull(answer);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Json *kind = kind_of_fault(answer, rows[i].kind);
        ck_assert_str_eq(json_text(arena, json_member(kind, "needs")), rows[i].needs);
        ck_assert_str_eq(json_text(arena, json_member(kind, "may_have")), rows[i].may_have);
        const Json *one_of = json_member(kind, "needs_one_of");
        ck_assert_pstr_eq(one_of != NULL ? json_text(arena, one_of) : NULL, rows[i].one_of);
    }
}
END_TEST

START_TEST(rules_come_and_go_by_number)
{
    ck_assert_int_eq(ask("Faults_Add", "{\"do\": \"api.error\", \"status\": 503}", NULL).status,
                     200);
    ck_assert_int_eq(ask("Faults_Add", "{\"do\": \"api.reset\"}", NULL).status, 200);
    HttpResponse listed = ask("Faults_List", "", NULL);
    ck_assert_ptr_nonnull(strstr(listed.body, "\"number\": 2"));
    ck_assert_ptr_nonnull(strstr(listed.body, "node.crash"));
    HttpResponse removed = ask("Faults_Remove", "", "1");
    ck_assert_int_eq(removed.status, 200);
    ck_assert_ptr_nonnull(strstr(removed.body, "\"number\": 2"));
    ck_assert_ptr_null(strstr(removed.body, "node.crash"));
    ck_assert_int_eq(ask("Faults_Remove", "", "1").status, 404);
    ck_assert_int_eq(ask("Faults_Remove", "", "x").status, 404);
    ck_assert_ptr_null(strstr(ask("Faults_List", "", NULL).body, "\"number\": 1"));
    ck_assert_ptr_null(strstr(ask("Faults_Clear", "", NULL).body, "\"number\""));
    refused("Faults_Add", "{\"do\": \"api.error\", \"chance\": \"many\"}", 400, "not a chance");
    refused("Faults_Add", "{\"do\": \"api.errror\"}", 400, "api.error");
    refused("Faults_Add", "{\"do\": \"api.reset\", \"status\": 503}", 400,
            "api.reset has no \\\"status\\\"");
    refused("Faults_Add", "{\"do\": \"api.error\", \"rate\": \"1kB/s\"}", 400,
            "api.error has no \\\"rate\\\"");
}
END_TEST

/* --- Events --- */

static void commit_all(void)
{
    Status status = {0};
    ck_assert(emulator_commit(emulator, &status));
}

static const char *read_stream(HttpResponse *response)
{
    Text text = {0};
    char room[100];
    for (int64_t count; (count = response->source.read(response->source.owner, (int64_t)text.length,
                                                       room, sizeof room)) > 0;)
        text_append(&text, room, (size_t)count);
    const char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

START_TEST(a_stream_begins_with_the_next_event)
{
    command("{\"do\": \"group.create\", \"name\": \"before\"}");
    HttpResponse response = ask("Events_Watch", "", NULL);
    ck_assert(response.is_event_stream);
    ck_assert_str_eq(http_get(&response, "Content-Type"), "text/event-stream");
    ck_assert_str_eq(read_stream(&response), "");
    command("{\"do\": \"group.create\", \"name\": \"later\"}");
    commit_all();
    ck_assert_ptr_nonnull(strstr(read_stream(&response), "group later"));
    response.source.free(response.source.owner);
}
END_TEST

/* The disk may still fail: then the event has not happened. */
START_TEST(an_event_is_sent_once_it_is_committed)
{
    HttpResponse response = ask("Events_Watch", "", NULL);
    command("{\"do\": \"group.create\", \"name\": \"late\"}");
    ck_assert_str_eq(read_stream(&response), "");
    emulator_tick(emulator, 1, 0);
    ck_assert_str_eq(read_stream(&response), "");
    commit_all();
    ck_assert_ptr_nonnull(strstr(read_stream(&response), "group late"));
    response.source.free(response.source.owner);
}
END_TEST

START_TEST(a_stream_sends_the_events_since_an_id)
{
    command("{\"do\": \"group.create\", \"name\": \"one\"}");
    commit_all();
    HttpResponse response = http_response(0);
    events_answer(emulator->control.events, 0, true, &response);
    static const char expected[] =
        "id: 1\ndata: {\"at\":\"2018-07-18T17:45:00Z\",\"at_ns\":1,\"record\":\"command_applied\","
        "\"name\":\"group.create one\",\"values\":{\"ordinal\":0}}\n\n"
        "id: 2\ndata: {\"at\":\"2018-07-18T17:45:00Z\",\"at_ns\":1,\"record\":"
        "\"resource_created\",\"name\":\"group one\"}\n\n";
    ck_assert_str_eq(read_stream(&response), expected);
    ck_assert_str_eq(read_stream(&response), "");
    command("{\"do\": \"group.create\", \"name\": \"two\"}");
    commit_all();
    ck_assert_ptr_nonnull(strstr(read_stream(&response), "id: 4\n"));
    response.source.free(response.source.owner);
    events_answer(emulator->control.events, 3, true, &response);
    ck_assert_ptr_nonnull(strstr(read_stream(&response), "group two"));
    response.source.free(response.source.owner);
    events_answer(emulator->control.events, 1000, true,
                  &response); // has not happened: it was undone
    ck_assert_str_eq(read_stream(&response), "id: 4\ndata: {\"at\":\"2018-07-18T17:45:00Z\","
                                             "\"at_ns\":2,\"record\":\"undone\"}\n\n");
    ck_assert_str_eq(read_stream(&response), "");
    response.source.free(response.source.owner);
}
END_TEST

/* `follow=false`: the answer ends, so that a client without support for streams can read it. */
START_TEST(an_answer_that_does_not_follow_ends_with_the_last_event)
{
    HttpResponse response = ask_events("0", "false");
    ck_assert(!response.is_event_stream);
    ck_assert_int_eq(response.source_bytes, HTTP_LENGTH_UNKNOWN);
    ck_assert_str_eq(read_stream(&response), "");
    response.source.free(response.source.owner);
    command("{\"do\": \"group.create\", \"name\": \"one\"}");
    commit_all();
    response = ask_events("1", "false");
    command("{\"do\": \"group.create\", \"name\": \"unsettled\"}");
    const char *text = read_stream(&response);
    ck_assert_ptr_nonnull(strstr(text, "id: 2\n"));
    ck_assert_ptr_null(strstr(text, "id: 1\n"));
    ck_assert_ptr_null(strstr(text, "unsettled"));
    char room[100];
    ck_assert_int_eq(response.source.read(response.source.owner, 0, room, sizeof room),
                     HTTP_SOURCE_ENDS);
    response.source.free(response.source.owner);
    response = ask_events(NULL, "true");
    ck_assert(response.is_event_stream);
    response.source.free(response.source.owner);
    ck_assert_int_eq(ask_events(NULL, "no").status, 400);
    ck_assert_int_eq(ask_events("noon", NULL).status, 400);
}
END_TEST

START_TEST(a_job_of_which_nothing_says_what_it_does_is_accepted_with_a_warning)
{
    Text text = {0};
    create_cluster();
    create_job_of("\"customToolkitSettings\": {\"commandLine\": \"python /x/train.py --a 1\"}");
    events_print(emulator->control.events, 0, SIZE_MAX, &text);
    const char *warning = strstr(text_string(&text), "\"record\":\"warning\",\"name\":\"train\"");
    ck_assert_ptr_nonnull(warning);
    ck_assert_ptr_nonnull(strstr(warning, "no program matches"));
    ck_assert_ptr_nonnull(strstr(warning, "serve --program 'python*=sleep 20m; exit 0'"));
    ck_assert_ptr_nonnull(strstr(warning, "TRAINYARD_DURATION"));
    text_free(&text);
    tell("{\"do\": \"run-until\", \"until\": \"job train completed\"}");
    const World *world = session_world(emulator->session);
    const Job *job = world_job(world, (JobId){0});
    ck_assert_int_eq(job->exit_code, 0);
    ck_assert(job->spec->program->is_other);
}
END_TEST

START_TEST(programs_are_set_by_request_for_the_jobs_that_follow)
{
    static const char scripted[] = "{\"match\": \"make\", \"script\": \"sleep 5s; exit 9\"}";
    create_cluster();
    HttpResponse response = ask("Programs_Set", scripted, NULL);
    ck_assert_int_eq(response.status, 200);
    const int64_t sequence = session_sequence(emulator->session);
    ck_assert_int_eq(ask("Programs_Set", scripted, NULL).status, 200); // nothing new
    ck_assert_int_eq(session_sequence(emulator->session), sequence);
    create_job();
    tell("{\"do\": \"run-until\", \"until\": \"job train completed\"}");
    ck_assert_int_eq(world_job(session_world(emulator->session), (JobId){0})->exit_code, 9);
    // A program with the same pattern replaces it; the newest that matches is used.
    ck_assert_int_eq(ask("Programs_Set", "{\"match\": \"m*\", \"duration\": \"1m\"}", NULL).status,
                     200);
    response =
        ask("Programs_Set", "{\"match\": \"make\", \"duration\": \"2m\", \"exit_code\": 4}", NULL);
    ck_assert_ptr_nonnull(strstr(response.body, "\"2m\""));
    ck_assert_ptr_null(strstr(response.body, "sleep"));
    ck_assert_ptr_nonnull(strstr(ask("Programs_List", "", NULL).body, "\"m*\""));
    command("{\"do\": \"experiment.create\", \"name\": \"f\", " IN_WORKSPACE "}");
    create_job_in("f", "\"customToolkitSettings\": {\"commandLine\": \"make\"}");
    tell("{\"do\": \"run-until\", \"until\": \"job w/f/train completed\"}");
    ck_assert_int_eq(world_job(session_world(emulator->session), (JobId){1})->exit_code, 4);
    static const char *const empty[] = {"", " \r\n"}, *const writes[] = {"Programs_Set",
                                                                         "Clock_Tell",
                                                                         "Faults_Add"};
    for (int i = 0; i < 6; i++)
        refused(writes[i / 2], empty[i % 2], 400, "the request has no body");
    refused("Programs_Set", "", 400, "as in {\\\"match\\\": ");
    refused("Programs_Set", "{\"duration\": \"2m\"}", 400, "needs a text");
    refused("Programs_Set", "{\"match\": \"x\"}", 400, "a program has none of");
    refused("Programs_Set", "{\"match\": \"x\", \"script\": \"python y\"}", 400, "unknown command");
}
END_TEST

START_TEST(a_slow_reader_continues_with_the_oldest_event_kept)
{
    Text text = {0};
    for (int i = 0; i < EVENTS_KEPT; i++)
        command(arena_printf(arena, "{\"do\": \"usages.show\", \"name\": \"u%d\"}", i));
    uint64_t last = events_last(emulator->control.events);
    ck_assert_uint_eq(last, 2 * EVENTS_KEPT);
    ck_assert_uint_eq(events_print(emulator->control.events, 0, SIZE_MAX, &text), last);
    ck_assert_int_eq(strncmp(text.data, "id: 8193\n", 9), 0);
    text_clear(&text);
    ck_assert_uint_lt(events_print(emulator->control.events, 0, 1000, &text), last);
    text_free(&text);
}
END_TEST

START_TEST(the_session_is_exported)
{
    command("{\"do\": \"group.create\", \"name\": \"one\"}");
    HttpResponse response = ask("Session_Export", "", NULL);
    ck_assert_int_eq(response.status, 200);
    const char *text = read_stream(&response);
    response.source.free(response.source.owner);
    ck_assert_ptr_nonnull(strstr(text, "\"at\": \"1ns\""));
    ck_assert_ptr_nonnull(strstr(text, "\"expect\": []")); // no longer what it began with
}
END_TEST

/* A long session is sent in parts, between which the world changes. */
START_TEST(an_export_is_the_session_as_it_was_when_it_was_asked_for)
{
    Text whole = {0};
    Status status = {0};
    for (int32_t i = 0; i < 500; i++)
        command(arena_printf(arena, "{\"do\": \"group.create\", \"name\": \"g%d\"}", i));
    ck_assert(session_export(emulator->session, &whole, &status));
    HttpResponse response = ask("Session_Export", "", NULL);
    ck_assert_int_eq(response.source_bytes, HTTP_LENGTH_UNKNOWN);
    Text text = {0};
    char room[4096];
    int64_t count;
    int32_t parts = 0;
    while ((count = response.source.read(response.source.owner, (int64_t)text.length, room,
                                         sizeof room)) > 0) {
        text_append(&text, room, (size_t)count);
        command(arena_printf(arena, "{\"do\": \"group.create\", \"name\": \"later%d\"}", parts++));
    }
    ck_assert_int_eq(count, HTTP_SOURCE_ENDS);
    ck_assert_int_gt(parts, 5);
    ck_assert_str_eq(text_string(&text), text_string(&whole));
    response.source.free(response.source.owner);
    text_free(&text);
    text_free(&whole);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("control");
    TCase *tests = tcase_create("control");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_clock_is_shown_and_moved);
    tcase_add_test(tests, the_last_jump_is_undone);
    tcase_add_test(tests, the_state_is_copied_for_a_fork);
    tcase_add_test(tests, a_step_goes_through_the_next_event);
    tcase_add_test(tests, time_runs_until_something_is_so);
    tcase_add_test(tests, time_runs_to_the_begin_of_an_epoch_and_to_each_return_to_the_queue);
    tcase_add_test(tests, the_time_after_a_moment_counts_as_the_wait_for_it);
    tcase_add_test(tests, the_time_after_a_moment_counts_from_the_moment);
    tcase_add_test(tests, one_request_runs_so_many_events_and_no_more);
    tcase_add_test(tests, of_clusters_of_one_name_the_newest_that_is_not_being_deleted_is_meant);
    tcase_add_test(tests, a_job_of_the_same_name_is_not_listened_to);
    tcase_add_test(tests, invalid_requests_to_the_clock_are_refused);
    tcase_add_test(tests, time_does_not_pass_where_no_event_is_pending);
    tcase_add_test(tests, a_jump_outlives_the_process);
    tcase_add_test(tests, after_the_last_instant_nothing_is_done_any_more);
    tcase_add_test(tests, faults_strike_the_world_now);
    tcase_add_test(tests,
                   a_fault_strikes_the_newest_existing_resource_or_the_one_with_the_full_name);
    tcase_add_test(tests, a_queue_changes_now);
    tcase_add_test(tests, the_list_of_faults_says_which_members_each_needs_and_may_have);
    tcase_add_test(tests, rules_come_and_go_by_number);
    tcase_add_test(tests, a_stream_begins_with_the_next_event);
    tcase_add_test(tests, an_event_is_sent_once_it_is_committed);
    tcase_add_test(tests, a_stream_sends_the_events_since_an_id);
    tcase_add_test(tests, an_answer_that_does_not_follow_ends_with_the_last_event);
    tcase_add_test(tests, a_job_of_which_nothing_says_what_it_does_is_accepted_with_a_warning);
    tcase_add_test(tests, programs_are_set_by_request_for_the_jobs_that_follow);
    tcase_add_test(tests, a_slow_reader_continues_with_the_oldest_event_kept);
    tcase_add_test(tests, the_session_is_exported);
    tcase_add_test(tests, an_export_is_the_session_as_it_was_when_it_was_asked_for);
    suite_add_tcase(suite, tests);
    return suite;
}

/* Batch AI's handlers: bodies, states, refusals, operations. */
#include "emu/batchai/operations.h"
#include "emu/control/clock_api.h"
#include "emu/files/files.h"
#include "emu/files/store/shares.h"
#include "emu/session/export.h"
#include "emu/session/programs.h"
#include "tests/emu/arm_client.h"
#include "tests/emu/small_emulator.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"

static SmallEmulator small;
static Arena *arena;
static Client client;

#define GROUP "/resourceGroups/g"
#define WORKSPACE GROUP "/providers/Microsoft.BatchAI/workspaces/w"
#define CLUSTER WORKSPACE "/clusters/c"
#define EXPERIMENT WORKSPACE "/experiments/e"
#define JOB EXPERIMENT "/jobs/j"
#define FILE_SERVER WORKSPACE "/fileServers/f"

enum { S = 1000000000 };

static Answer ask(HttpMethod method, const char *below, const char *body)
{
    return client_do(client, method, below, body);
}

static void set_up(void)
{
    small_emulator_open(&small, "2018-06-06T21:06:02Z", "acct", 1);
    arena = small.arena;
    client = (Client){arena, small.emulator};
    ck_assert_status(ask(HTTP_PUT, GROUP, "{\"location\": \"northeurope\"}"), 201);
    ck_assert_status(ask(HTTP_PUT, WORKSPACE, "{\"location\": \"North Europe\"}"), 200);
}

static void tear_down(void)
{
    small_emulator_remove(&small);
}

static void pass(int64_t seconds)
{
    session_advance(client.emulator->session,
                    session_now_ns(client.emulator->session) + seconds * S);
}

static const char cluster_body[] =
    "{\"properties\": {\"userAccountSettings\": {\"adminUserPassword\": \"hush\","
    " \"adminUserName\": \"me\"}, \"vmSize\": \"Standard_d1\", \"vmPriority\": null,"
    " \"scaleSettings\": {\"manual\": {\"targetNodeCount\": 2}},"
    " \"nodeSetup\": {\"mountVolumes\": {\"azureFileShares\": [{\"relativeMountPath\": \"afs\","
    " \"azureFileUrl\": \"https://acct.file.core.windows.net/share\", \"accountName\": \"acct\","
    " \"credentials\": {\"accountKey\": \"hush\"}}]}}}}";

static const char job_body[] =
    "{\"properties\": {\"cluster\": {\"id\": \"" CLIENT_SUBSCRIPTION CLUSTER "\"},"
    " \"nodeCount\": 1, \"customMpiSettings\": {\"commandLine\": \"true\"},"
    " \"secrets\": [{\"name\": \"KEY\", \"value\": \"hush\"}],"
    " \"outputDirectories\": [{\"id\": \"OUT\", \"pathPrefix\": \"$AZ_BATCHAI_MOUNT_ROOT/afs\","
    " \"pathSuffix\": \"files\"}],"
    " \"stdOutErrPathPrefix\": \"$AZ_BATCHAI_MOUNT_ROOT/afs/logs\"}}";

static const char file_server_body[] =
    "{\"properties\": {\"vmSize\": \"STANDARD_D1\", \"sshConfiguration\": {\"userAccountSettings\":"
    " {\"adminUserName\": \"me\", \"adminUserPassword\": \"hush\"}}, \"dataDisks\":"
    " {\"diskCount\": 2, \"diskSizeInGB\": 10, \"storageAccountType\": \"Standard_LRS\"}}}";

/* The status body from the URL that a 202 names; "" if it names no URL. */
static const char *path_of(Answer answer, const char *header)
{
    const char *url = http_get(&answer.response, header);
    ck_assert_ptr_nonnull(url);
    return url + strlen("https://127.0.0.1:8443");
}

static Answer poll(Answer answer)
{
    return client_ask(client, HTTP_GET, path_of(answer, "Azure-AsyncOperation"), NULL);
}

static void make_cluster(void)
{
    ck_assert_status(ask(HTTP_PUT, CLUSTER, cluster_body), 202);
    pass(400);
}

static void make_job(const char *name)
{
    if (ask(HTTP_GET, EXPERIMENT, NULL).status == 404)
        ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    ck_assert_status(ask(HTTP_PUT, arena_printf(arena, EXPERIMENT "/jobs/%s", name), job_body),
                     202);
}

static const char *state_of(const char *below)
{
    return answer_text(ask(HTTP_GET, below, NULL), "/properties/provisioningState");
}

/* The clock is stopped at its present time. */
static void restart(void)
{
    Status status = {0};
    ck_assert(session_note_time(small.emulator->session, &status) &&
              store_commit(small.emulator->store, &status));
    emulator_close(small.emulator);
    small_emulator_start(&small);
    client.emulator = small.emulator;
}

static const char *state_of_job(void)
{
    return answer_text(ask(HTTP_GET, JOB, NULL), "/properties/executionState");
}

/* --- Workspaces and experiments --- */

START_TEST(a_workspace_is_there_at_once_and_keeps_its_birthday)
{
    const Answer first = ask(HTTP_GET, WORKSPACE, NULL);
    ck_assert_str_eq(first.text,
                     "{\"id\":\"" CLIENT_SUBSCRIPTION WORKSPACE "\",\"name\":\"w\","
                     "\"type\":\"Microsoft.BatchAI/workspaces\",\"location\":\"northeurope\","
                     "\"properties\":{\"provisioningState\":\"succeeded\","
                     "\"provisioningStateTransitionTime\":\"2018-06-06T21:06:02Z\","
                     "\"creationTime\":\"2018-06-06T21:06:02Z\"}}");
    // As recorded, "0x8D5CBF14F764BC6" 350.279 ms later.
    ck_assert_str_eq(http_get(&first.response, "ETag"), "\"0x8D5CBF14F40D900\"");
    ck_assert_str_eq(http_get(&first.response, "Last-Modified"), "Wed, 06 Jun 2018 21:06:02 GMT");
    pass(10);
    const Answer again = ask(HTTP_PUT, WORKSPACE, "{\"location\": \"northeurope\"}");
    ck_assert_status(again, 200);
    ck_assert_str_eq(again.text, first.text);
    ck_assert_error(ask(HTTP_PUT, WORKSPACE, "{\"location\": \"westus2\"}"), 409,
                    "InvalidResourceLocation");
    const Answer tagged = ask(HTTP_PATCH, WORKSPACE, "{\"tags\": {\"a\": \"b\"}}");
    ck_assert_str_eq(answer_text(tagged, "/tags/a"), "b");
    ck_assert_str_eq(answer_text(tagged, "/location"), "northeurope");
    ck_assert_str_ne(http_get(&tagged.response, "ETag"), http_get(&first.response, "ETag"));
}
END_TEST

START_TEST(the_topmost_missing_parent_is_named)
{
    static const struct {
        const char *below, *code;
    } rows[] = {
        {"/resourceGroups/x/providers/Microsoft.BatchAI/workspaces/w", "ResourceGroupNotFound"},
        {GROUP "/providers/Microsoft.BatchAI/workspaces/x", "WorkspaceNotFound"},
        {GROUP "/providers/Microsoft.BatchAI/workspaces/x/clusters/c", "WorkspaceNotFound"},
        {CLUSTER, "ClusterNotFound"},
        {EXPERIMENT, "ExperimentNotFound"},
        {JOB, "ExperimentNotFound"},
        {FILE_SERVER, "FileServerNotFound"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_error(ask(HTTP_GET, rows[i].below, NULL), 404, rows[i].code);
        ck_assert_status(ask(HTTP_DELETE, rows[i].below, NULL), 204);
    }
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    const Answer job = ask(HTTP_GET, JOB, NULL);
    ck_assert_error(job, 404, "JobNotFound");
    ck_assert_str_eq(answer_text(job, "/error/message"), "The specified job j is not found");
    ck_assert_error(ask(HTTP_POST, JOB "/terminate", NULL), 404, "JobNotFound");
    ck_assert_error(ask(HTTP_PATCH, CLUSTER,
                        "{\"properties\": {\"scaleSettings\": {\"manual\": "
                        "{\"targetNodeCount\": 1}}}}"),
                    404, "ClusterNotFound");
}
END_TEST

START_TEST(names_keep_the_letters_that_they_were_first_written_with)
{
    const char *shouted = "/RESOURCEGROUPS/G/PROVIDERS/microsoft.batchai/WORKSPACES/W/CLUSTERS/c";
    ck_assert_status(ask(HTTP_PUT, shouted, cluster_body), 202);
    const Answer answer = ask(HTTP_GET, CLUSTER, NULL);
    ck_assert_str_eq(answer_text(answer, "/id"), CLIENT_SUBSCRIPTION CLUSTER);
    ck_assert_str_eq(ask(HTTP_GET, shouted, NULL).text, answer.text);
    pass(400);
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    ck_assert_status(
        ask(HTTP_PUT, JOB, with_change(arena, job_body, "/resourceGroups/g", "/resourcegroups/G")),
        202);
    ck_assert_str_eq(answer_text(ask(HTTP_GET, JOB, NULL), "/properties/cluster/id"),
                     CLIENT_SUBSCRIPTION CLUSTER);
}
END_TEST

START_TEST(the_body_of_an_experiment_says_nothing_but_is_json)
{
    ck_assert_error(ask(HTTP_PUT, EXPERIMENT, "{\"a\": "), 400, "InvalidRequestContent");
    ck_assert_error(ask(HTTP_GET, EXPERIMENT, NULL), 404, "ExperimentNotFound");
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, "{\"a\": 1}"), 200);
    ck_assert_error(ask(HTTP_PUT, EXPERIMENT, "[]"), 400, "InvalidRequestContent");
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
}
END_TEST

START_TEST(names_are_checked)
{
    const char *const too_long = "a12345678901234567890123456789012345678901234567890123456789"
                                 "01234"; // 65
    const char *const bad[] = {"a%20b", "a.b", "%C3%BC", too_long};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_error(
            ask(HTTP_PUT, arena_printf(arena, WORKSPACE "/experiments/%s", bad[i]), NULL), 400,
            "InvalidResourceName");
        ck_assert_error(
            ask(HTTP_PUT, arena_printf(arena, WORKSPACE "/clusters/%s", bad[i]), cluster_body), 400,
            "InvalidResourceName");
    }
}
END_TEST

/* --- Clusters --- */

static bool entry_has_no_secret(void *entries, const JournalEntry *entry, Status *status)
{
    (void)status;
    ck_assert_ptr_null(strstr(entry->command, "hush"));
    ck_assert_ptr_null(strstr(entry->kept, "hush"));
    ++*(int32_t *)entries;
    return true;
}

START_TEST(a_cluster_is_returned_without_secrets_in_the_order_of_the_service)
{
    Answer answer = ask(HTTP_PUT, CLUSTER, cluster_body);
    ck_assert_status(answer, 202);
    ck_assert_ptr_null(answer.response.body);
    ck_assert_str_eq(http_get(&answer.response, "Retry-After"), "1");
    answer = ask(HTTP_GET, CLUSTER, NULL);
    ck_assert_str_eq(
        answer.text,
        "{\"id\":\"" CLIENT_SUBSCRIPTION CLUSTER "\",\"name\":\"c\","
        "\"type\":\"Microsoft.BatchAI/workspaces/clusters\",\"properties\":{"
        "\"provisioningState\":\"creating\",\"allocationState\":\"resizing\","
        "\"creationTime\":\"2018-06-06T21:06:02Z\","
        "\"allocationStateTransitionTime\":\"2018-06-06T21:06:02Z\","
        "\"provisioningStateTransitionTime\":\"2018-06-06T21:06:02Z\","
        "\"vmSize\":\"STANDARD_D1\",\"currentNodeCount\":0,"
        "\"nodeStateCounts\":{\"runningNodeCount\":0,\"idleNodeCount\":0,"
        "\"unusableNodeCount\":0,\"preparingNodeCount\":0,\"leavingNodeCount\":0},"
        "\"vmPriority\":\"dedicated\",\"scaleSettings\":{\"manual\":{\"targetNodeCount\":2,"
        "\"nodeDeallocationOption\":\"requeue\"}},"
        "\"virtualMachineConfiguration\":{\"imageReference\":{\"publisher\":\"Canonical\","
        "\"offer\":\"UbuntuServer\",\"sku\":\"16.04-LTS\",\"version\":\"latest\"}},"
        "\"userAccountSettings\":{\"adminUserName\":\"me\"},"
        "\"nodeSetup\":{\"mountVolumes\":{\"azureFileShares\":[{\"accountName\":\"acct\","
        "\"azureFileUrl\":\"https://acct.file.core.windows.net/share\",\"credentials\":{},"
        "\"relativeMountPath\":\"afs\",\"fileMode\":\"0777\",\"directoryMode\":\"0777\"}]}}}}");
    // The journal contains no secret of a client.
    Status status = {0};
    ck_assert(store_commit(small.emulator->store, &status));
    int32_t entries = 0;
    ck_assert(
        store_replay(small.emulator->store, JOURNAL_ALL, &entries, entry_has_no_secret, &status));
    ck_assert_int_eq(entries, 3);
}
END_TEST

START_TEST(a_cluster_is_polled_while_it_is_not_settled)
{
    ck_assert_status(ask(HTTP_PUT, CLUSTER, cluster_body), 202);
    ck_assert(!client.emulator->pace.is_polled);
    ask(HTTP_GET, CLUSTER, NULL);
    ck_assert(client.emulator->pace.is_polled);
    pass(400);
    client.emulator->pace.is_polled = false;
    const Answer ready = ask(HTTP_GET, CLUSTER, NULL);
    ck_assert(!client.emulator->pace.is_polled);
    ck_assert_int_eq(json_find(ready.body, "/properties/nodeStateCounts/idleNodeCount")->integer,
                     2);
    const Answer logins = ask(HTTP_POST, CLUSTER "/listRemoteLoginInformation", NULL);
    ck_assert_int_eq(json_member(logins.body, "value")->count, 2);
    ck_assert_int_eq(json_find(logins.body, "/value/1/port")->integer, 50001);
    ck_assert_ptr_nonnull(strstr(answer_text(logins, "/value/0/nodeId"), "_1-2018"));
}
END_TEST

/* Whether the clock "auto" would jump. */
static bool is_poll(const char *below)
{
    client.emulator->pace.is_polled = false;
    ask(HTTP_GET, below, NULL);
    return client.emulator->pace.is_polled;
}

START_TEST(a_client_may_wait_for_automatic_scaling)
{
    make_cluster();
    for (int i = 0; i < 5; i++)
        ck_assert(!is_poll(CLUSTER)); // it keeps its nodes
    ck_assert_status(ask(HTTP_PATCH, CLUSTER,
                         "{\"properties\": {\"scaleSettings\": {\"autoScale\": {"
                         "\"minimumNodeCount\": 0, \"maximumNodeCount\": 3}}}}"),
                     200);
    // Its nodes are idle and leave sooner or later: who looks again and again waits for that.
    ck_assert(!is_poll(CLUSTER));
    ck_assert(!is_poll(CLUSTER));
    ck_assert(is_poll(CLUSTER));
    ck_assert(is_poll(CLUSTER));
    ck_assert_status(ask(HTTP_PATCH, WORKSPACE, "{\"tags\": {\"a\": \"b\"}}"), 200);
    ck_assert(!is_poll(CLUSTER));
    pass(3600);
    for (int i = 0; i < 5; i++)
        ck_assert(!is_poll(CLUSTER)); // no node is left
}
END_TEST

START_TEST(a_resize_answers_with_the_new_settings_and_the_old_states)
{
    make_cluster();
    Answer answer = ask(HTTP_PATCH, CLUSTER,
                        "{\"properties\": {\"scaleSettings\": {\"manual\": {\"targetNodeCount\": 0,"
                        " \"nodeDeallocationOption\": \"terminate\"}}}}");
    ck_assert_status(answer, 200);
    ck_assert_str_eq(answer_text(answer, "/properties/allocationState"), "steady");
    ck_assert_int_eq(
        json_find(answer.body, "/properties/scaleSettings/manual/targetNodeCount")->integer, 0);
    answer = ask(HTTP_GET, CLUSTER, NULL);
    ck_assert_str_eq(answer_text(answer, "/properties/allocationState"), "resizing");
    answer = ask(HTTP_PATCH, CLUSTER,
                 "{\"properties\": {\"scaleSettings\": {\"autoScale\": {\"minimumNodeCount\": 0,"
                 " \"maximumNodeCount\": 3, \"initialNodeCount\": 1}}}}");
    ck_assert_status(answer, 200);
    ck_assert_ptr_nonnull(strstr(answer.text, "{\"autoScale\":{\"minimumNodeCount\":0,"
                                              "\"maximumNodeCount\":3,\"initialNodeCount\":1}}"));
    ck_assert_ptr_null(json_find(answer.body, "/properties/scaleSettings/manual"));
    ck_assert_int_eq(
        json_find(answer.body, "/properties/scaleSettings/autoScale/maximumNodeCount")->integer, 3);
}
END_TEST

START_TEST(bad_bodies_are_refused_by_their_place)
{
    static const struct {
        const char *old, *new, *where;
    } rows[] = {
        {"\"targetNodeCount\": 2", "\"targetNodeCount\": -2",
         "properties.scaleSettings.manual.targetNodeCount: "},
        {"\"targetNodeCount\": 2",
         "\"targetNodeCount\": 2}, \"autoScale\": {\"minimumNodeCount\":"
         " 1, \"maximumNodeCount\": 2",
         ""},
        {"\"Standard_d1\"", "\"Standard_X1\"",
         "properties.vmSize: unknown VM size \"Standard_X1\""},
        {"\"vmSize\": \"Standard_d1\", ", "", "properties: this Cluster needs \"vmSize\""},
        {"\"Standard_d1\"", "null", "properties: this Cluster needs \"vmSize\""},
        {"\"vmPriority\": null", "\"vmPriority\": \"cheap\"", "properties.vmPriority: "},
        {"\"vmPriority\": null", "\"vmPriorty\": \"cheap\"", "properties.vmPriorty: "},
        {"\"adminUserPassword\": \"hush\",", "", "properties.userAccountSettings: "},
        {"\"me\"", "\"\"", "properties.userAccountSettings.adminUserName: "},
        {"acct.file", "other.file",
         "properties.nodeSetup.mountVolumes.azureFileShares[0].accountName: "},
        {"{\"properties\"", "{\"property\"", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *body = with_change(arena, cluster_body, rows[i].old, rows[i].new);
        const Answer answer = ask(HTTP_PUT, CLUSTER, body);
        ck_assert_error(answer, 400, "InvalidRequestContent");
        const char *message = answer_text(answer, "/error/message");
        ck_assert_msg(strncmp(message, rows[i].where, strlen(rows[i].where)) == 0, "%s", message);
    }
    ck_assert_error(ask(HTTP_GET, CLUSTER, NULL), 404, "ClusterNotFound");
}
END_TEST

START_TEST(all_problems_of_a_request_are_in_the_details)
{
    static const char two[] = "{\"properties\": {\"vmSize\": \"Standard_d1\", \"vmPriority\": "
                              "\"cheap\", \"scaleSettings\": {\"manual\": "
                              "{\"targetNodeCount\": -1}}}}";
    Answer answer = ask(HTTP_PUT, CLUSTER, two);
    ck_assert_error(answer, 400, "InvalidRequestContent");
    ck_assert_ptr_nonnull(strstr(answer_text(answer, "/error/message"),
                                 "lowpriority (1 more problem in the details)"));
    ck_assert_str_eq(answer_text(answer, "/error/details/0/message"),
                     "properties.vmPriority: unknown vmPriority \"cheap\"; known: dedicated, "
                     "lowpriority");
    ck_assert_str_eq(answer_text(answer, "/error/details/1/message"),
                     "properties.scaleSettings.manual.targetNodeCount: targetNodeCount is -1, "
                     "expected 0 to 2147483647");
    ck_assert_str_eq(answer_text(answer, "/error/details/1/code"), "InvalidRequestContent");
    ck_assert_ptr_null(json_find(answer.body, "/error/details/2"));
    // A bad name is not hidden by a bad body.
    static const char *const bodies[] = {NULL, "{}"}, *const resources[] = {
                                                          "/clusters/c.1", "/fileServers/c.1",
                                                          "/experiments/e/jobs/c.1"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        for (size_t j = 0; j < sizeof resources / sizeof *resources; j++) {
            answer = ask(HTTP_PUT, arena_printf(arena, WORKSPACE "%s", resources[j]), bodies[i]);
            ck_assert_error(answer, 400, "InvalidResourceName");
            ck_assert_str_eq(answer_text(answer, "/error/details/0/code"), "InvalidResourceName");
            ck_assert_str_eq(answer_text(answer, "/error/details/1/code"), "InvalidRequestContent");
        }
    // One problem has no details.
    answer = ask(HTTP_PUT, CLUSTER, "{}");
    ck_assert_str_eq(answer_text(answer, "/error/message"), "The body has no \"properties\".");
    ck_assert_ptr_null(json_find(answer.body, "/error/details"));
}
END_TEST

START_TEST(properties_are_an_object)
{
    static const char *const bad[] = {"null", "5", "\"x\"", "true", "[]", "[null]", "[[]]"};
    static const struct {
        HttpMethod method;
        const char *below;
    } writes[] = {
        {HTTP_PATCH, CLUSTER}, {HTTP_PUT, CLUSTER}, {HTTP_PUT, JOB}, {HTTP_PUT, FILE_SERVER}};
    make_cluster();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *body = arena_printf(arena, "{\"properties\": %s}", bad[i]);
        for (size_t j = 0; j < sizeof writes / sizeof *writes; j++) {
            const Answer answer = ask(writes[j].method, writes[j].below, body);
            ck_assert_error(answer, 400, "InvalidRequestContent");
            const char *message = answer_text(answer, "/error/message");
            ck_assert_msg(strncmp(message, "properties: expected an object", 30) == 0, "%s",
                          message);
        }
    }
}
END_TEST

START_TEST(the_same_put_again_is_fine_and_another_is_not)
{
    make_cluster();
    const Answer again = ask(HTTP_PUT, CLUSTER, cluster_body);
    ck_assert_status(again, 200);
    ck_assert_str_eq(answer_text(again, "/properties/allocationState"), "steady");
    ck_assert_error(
        ask(HTTP_PUT, CLUSTER,
            with_change(arena, cluster_body, "targetNodeCount\": 2", "targetNodeCount\": 3")),
        409, "Conflict");
}
END_TEST

START_TEST(a_put_that_says_the_same_in_other_words_is_the_same)
{
    static const struct {
        const char *below, *old, *new;
    } rows[] = {
        {CLUSTER, "\"Standard_d1\", \"vmPriority\": null",
         "\"standard_D1\", \"vmPriority\": \"dedicated\""},
        {CLUSTER, "{\"targetNodeCount\": 2}",
         "{\"targetNodeCount\": 2, \"nodeDeallocationOption\": \"requeue\"}"},
        {CLUSTER, "\"nodeSetup\"",
         "\"virtualMachineConfiguration\": {\"imageReference\": {\"publisher\": \"Canonical\","
         " \"offer\": \"UbuntuServer\", \"sku\": \"16.04-LTS\"}}, \"nodeSetup\""},
        {CLUSTER, "\"nodeSetup\"", "\"virtualMachineConfiguration\": {}, \"nodeSetup\""},
        {CLUSTER, "/fileServers/f", "/fileservers/f"},
        {CLUSTER, "/workspaces/w/fileServers", "/workspaces/W/FILESERVERS"},
        {JOB, "\"nodeCount\"", "\"schedulingPriority\": \"normal\", \"nodeCount\""},
        {JOB, "\"nodeCount\"", "\"constraints\": {\"maxWallClockTime\": \"P7D\"}, \"nodeCount\""},
        {JOB, "\"nodeCount\"",
         "\"schedulingPriority\": \"normal\", \"constraints\": {\"maxWallClockTime\": \"P7D\"},"
         " \"nodeCount\""},
        {JOB, "\"commandLine\": \"true\"", "\"commandLine\": \"true\", \"processCount\": null"},
        {JOB, "\"commandLine\": \"true\"", "\"processCount\": 1, \"commandLine\": \"true\""},
        {FILE_SERVER, "STANDARD_D1", "standard_d1"},
        {FILE_SERVER, "\"diskCount\"", "\"cachingType\": \"none\", \"diskCount\""},
    };
    static const char mounts[] =
        "\"fileServers\": [{\"relativeMountPath\": \"nfs\", \"fileServer\":"
        " {\"id\": \"" CLIENT_SUBSCRIPTION FILE_SERVER "\"}}], \"azureFileShares\"";
    const char *cluster = with_change(arena, cluster_body, "\"azureFileShares\"", mounts);
    ck_assert_status(ask(HTTP_PUT, FILE_SERVER, file_server_body), 202);
    pass(1000);
    ck_assert_status(ask(HTTP_PUT, CLUSTER, cluster), 202);
    make_job("j");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *below = rows[i].below;
        const char *body = strcmp(below, CLUSTER) == 0 ? cluster
                           : strcmp(below, JOB) == 0   ? job_body
                                                       : file_server_body;
        const Answer again =
            ask(HTTP_PUT, below, with_change(arena, body, rows[i].old, rows[i].new));
        ck_assert_msg(again.status == 200, "row %zu: %s", i, again.text);
    }
    ck_assert_error(
        ask(HTTP_PUT, JOB,
            with_change(arena, job_body, "\"nodeCount\"",
                        "\"constraints\": {\"maxWallClockTime\": \"P6D\"}, \"nodeCount\"")),
        409, "Conflict");
    // The server's network stays that of the cluster.
    ck_assert_status(ask(HTTP_DELETE, FILE_SERVER, NULL), 202);
    pass(1000);
    ck_assert_status(ask(HTTP_PUT, CLUSTER, cluster), 200);
}
END_TEST

START_TEST(a_cluster_is_in_the_network_of_the_file_server_that_it_mounts)
{
    static const char mounts[] =
        "\"fileServers\": [{\"relativeMountPath\": \"nfs\", \"fileServer\":"
        " {\"id\": \"" CLIENT_SUBSCRIPTION FILE_SERVER "\"}}], \"azureFileShares\"";
    const char *other = WORKSPACE "/clusters/other", *third = WORKSPACE "/clusters/third";
    const char *cluster = with_change(arena, cluster_body, "\"azureFileShares\"", mounts);
    ck_assert_status(ask(HTTP_PUT, FILE_SERVER, file_server_body), 202);
    const Answer server = ask(HTTP_GET, FILE_SERVER, NULL);
    ck_assert_str_ne(answer_text(server, "/properties/subnet/id"), "");
    ck_assert_status(ask(HTTP_PUT, CLUSTER, cluster), 202);
    const Answer answer = ask(HTTP_GET, CLUSTER, NULL);
    ck_assert_str_eq(answer_text(answer, "/properties/subnet/id"),
                     answer_text(server, "/properties/subnet/id"));
    ck_assert_str_eq(json_find(answer.body, "/properties")->last->key, "subnet");
    ck_assert_ptr_nonnull(strstr(answer.text, CLIENT_SUBSCRIPTION WORKSPACE "/fileservers/f"));
    ck_assert_status(ask(HTTP_PUT, other, cluster_body), 202);
    ck_assert_ptr_null(json_find(ask(HTTP_GET, other, NULL).body, "/properties/subnet"));
    // Who says one gets it.
    ck_assert_status(ask(HTTP_PUT, third,
                         with_change(arena, cluster, "\"nodeSetup\"",
                                     "\"subnet\": {\"id\": \"/mine\"}, \"nodeSetup\"")),
                     202);
    ck_assert_str_eq(answer_text(ask(HTTP_GET, third, NULL), "/properties/subnet/id"), "/mine");
}
END_TEST

START_TEST(values_that_a_request_leaves_out_are_returned_in_their_place)
{
    static const struct {
        const char *old, *new, *told;
    } rows[] = {
        {"\"nodeSetup\"",
         "\"virtualMachineConfiguration\": {\"imageReference\": {\"publisher\": \"p\","
         " \"offer\": \"o\", \"sku\": \"s\", \"virtualMachineImageId\": \"i\"}}, \"nodeSetup\"",
         "\"sku\":\"s\",\"version\":\"latest\",\"virtualMachineImageId\":\"i\"}"},
        {"\"relativeMountPath\"", "\"directoryMode\": \"0700\", \"relativeMountPath\"",
         "\"relativeMountPath\":\"afs\",\"fileMode\":\"0777\",\"directoryMode\":\"0700\"}"},
        {"\"nodeSetup\"", "\"virtualMachineConfiguration\": {}, \"nodeSetup\"",
         "\"imageReference\":{\"publisher\":\"Canonical\""},
        {"\"nodeSetup\"",
         "\"virtualMachineConfiguration\": {\"imageReference\": null}, \"nodeSetup\"",
         "\"imageReference\":{\"publisher\":\"Canonical\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *below = arena_printf(arena, WORKSPACE "/clusters/c%zu", i);
        ck_assert_status(
            ask(HTTP_PUT, below, with_change(arena, cluster_body, rows[i].old, rows[i].new)), 202);
        const char *told = ask(HTTP_GET, below, NULL).text;
        ck_assert_msg(strstr(told, rows[i].told) != NULL, "row %zu: %s", i, told);
    }
}
END_TEST

/* Asks for the answer to a GET again, by `method`; at it the text `old` (NULL: none) is `new`. */
static Answer send_back(HttpMethod method, const char *below, const char *old, const char *new)
{
    const char *told = ask(HTTP_GET, below, NULL).text;
    return ask(method, below, old ? with_change(arena, told, old, new) : told);
}

START_TEST(a_returned_body_may_be_sent_back)
{
    make_cluster();
    make_job("j");
    ck_assert_status(ask(HTTP_PUT, FILE_SERVER, file_server_body), 202);
    pass(400);
    static const char *const resources[] = {GROUP,   WORKSPACE, EXPERIMENT,
                                            CLUSTER, JOB,       FILE_SERVER};
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++) {
        const Answer before = ask(HTTP_GET, resources[i], NULL);
        const Answer answer = send_back(HTTP_PUT, resources[i], NULL, NULL);
        ck_assert_status(answer, 200);
        if (strcmp(resources[i], JOB) != 0) // of a job the answer is the stored record
            ck_assert_str_eq(answer.text, before.text);
    }
    ck_assert_status(send_back(HTTP_PATCH, GROUP, NULL, NULL), 200);
    ck_assert_status(send_back(HTTP_PATCH, WORKSPACE, NULL, NULL), 200);
    // The reported target has changed. A PUT may contain the new target or the original one.
    Answer answer =
        send_back(HTTP_PATCH, CLUSTER, "\"targetNodeCount\":2", "\"targetNodeCount\":1");
    ck_assert_status(answer, 200);
    ck_assert_str_eq(answer_text(answer, "/properties/scaleSettings/manual/targetNodeCount"), "1");
    ck_assert_status(send_back(HTTP_PUT, CLUSTER, NULL, NULL), 200);
    ck_assert_status(send_back(HTTP_PUT, CLUSTER, "\"targetNodeCount\":1", "\"targetNodeCount\":2"),
                     200);
    ck_assert_error(send_back(HTTP_PUT, CLUSTER, "\"targetNodeCount\":1", "\"targetNodeCount\":3"),
                    409, "Conflict");
}
END_TEST

/* All values except secrets, which are never returned. */
START_TEST(a_returned_body_creates_an_equal_resource)
{
    make_cluster();
    make_job("j");
    pass(400);
    const char *told = with_change(arena, ask(HTTP_GET, JOB, NULL).text, "\"name\":\"KEY\"",
                                   "\"name\":\"KEY\",\"value\":\"hush\"");
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT "/jobs/again", told), 202);
    pass(400);
    ck_assert_str_eq(
        answer_text(ask(HTTP_GET, EXPERIMENT "/jobs/again", NULL), "/properties/executionState"),
        "succeeded");
}
END_TEST

START_TEST(unknown_properties_are_refused)
{
    make_cluster();
    make_job("j");
    ck_assert_status(ask(HTTP_PUT, FILE_SERVER, file_server_body), 202);
    static const struct {
        HttpMethod method;
        const char *below, *old, *new, *where;
    } rows[] = {
        {HTTP_PUT, CLUSTER, "\"creationTime\"", "\"creatoinTime\"", "properties.creatoinTime: "},
        {HTTP_PUT, CLUSTER, "\"creationTime\"", "\"executionState\"",
         "properties.executionState: "},
        {HTTP_PUT, JOB, "\"creationTime\"", "\"allocationState\"", "properties.allocationState: "},
        {HTTP_PUT, FILE_SERVER, "\"creationTime\"", "\"toolType\"", "properties.toolType: "},
        {HTTP_PUT, CLUSTER, "\"adminUserName\"", "\"errors\":[],\"adminUserName\"",
         "properties.userAccountSettings.errors: "},
        {HTTP_PATCH, CLUSTER, "\"STANDARD_D1\"", "\"STANDARD_NC6\"", "properties.vmSize: "},
        {HTTP_PATCH, CLUSTER, "\"creationTime\"", "\"anything\"", "properties.anything: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Answer answer = send_back(rows[i].method, rows[i].below, rows[i].old, rows[i].new);
        ck_assert_error(answer, 400, "InvalidRequestContent");
        const char *message = answer_text(answer, "/error/message");
        ck_assert_msg(strncmp(message, rows[i].where, strlen(rows[i].where)) == 0, "%s", message);
    }
}
END_TEST

START_TEST(a_client_that_polls_a_creation_gets_a_retry_time)
{
    ck_assert_status(ask(HTTP_PUT, CLUSTER, cluster_body), 202);
    const Answer again = ask(HTTP_PUT, CLUSTER, cluster_body);
    const Answer looked = ask(HTTP_GET, CLUSTER, NULL);
    ck_assert_str_eq(answer_text(again, "/properties/provisioningState"), "creating");
    ck_assert_str_eq(http_get(&again.response, "Retry-After"), "1");
    ck_assert_str_eq(http_get(&looked.response, "Retry-After"), "1");
    pass(100);
    const Answer made = ask(HTTP_GET, CLUSTER, NULL);
    ck_assert_str_eq(answer_text(made, "/properties/allocationState"), "resizing");
    ck_assert_ptr_null(http_get(&made.response, "Retry-After"));
}
END_TEST

/* The API's document does not require them, and has 0 nodes as their default. */
START_TEST(a_cluster_without_scale_settings_has_no_nodes)
{
    const char *body = with_change(
        arena, cluster_body, " \"scaleSettings\": {\"manual\": {\"targetNodeCount\": 2}},", "");
    ck_assert_status(ask(HTTP_PUT, CLUSTER, body), 202);
    ck_assert_status(ask(HTTP_PUT, CLUSTER, body), 200);
    pass(100);
    const Answer answer = ask(HTTP_GET, CLUSTER, NULL);
    ck_assert_str_eq(answer_text(answer, "/properties/allocationState"), "steady");
    ck_assert_ptr_nonnull(strstr(answer.text, "{\"manual\":{\"targetNodeCount\":0,"
                                              "\"nodeDeallocationOption\":\"requeue\"}}"));
    const Answer above =
        ask(HTTP_PATCH, CLUSTER,
            "{\"properties\": {\"scaleSettings\": {\"autoScale\": {"
            "\"minimumNodeCount\": 0, \"maximumNodeCount\": 2, \"initialNodeCount\": 9}}}}");
    ck_assert_error(above, 400, "InvalidRequestContent");
    ck_assert_ptr_nonnull(
        strstr(above.text, "properties.scaleSettings.autoScale.initialNodeCount: "));
    const Answer unchanged = ask(HTTP_PATCH, CLUSTER, "{\"properties\": {}}");
    ck_assert_status(unchanged, 200);
    ck_assert_str_eq(unchanged.text, answer.text);
}
END_TEST

/* As recorded: steady a moment after the record is made, however long that takes. */
START_TEST(a_cluster_without_nodes_is_steady_when_it_has_been_made)
{
    enum { CLUSTERS = 6, LONGEST_S = 60 };
    const char *body = with_change(
        arena, cluster_body, " \"scaleSettings\": {\"manual\": {\"targetNodeCount\": 2}},", "");
    int32_t made_s[CLUSTERS] = {0}, steady_s[CLUSTERS] = {0};
    for (int32_t c = 0; c < CLUSTERS; c++)
        ck_assert_status(
            ask(HTTP_PUT, arena_printf(arena, WORKSPACE "/clusters/c%d", (int)c), body), 202);
    for (int32_t s = 1; s <= LONGEST_S; s++) {
        pass(1);
        for (int32_t c = 0; c < CLUSTERS; c++) {
            const Answer told =
                ask(HTTP_GET, arena_printf(arena, WORKSPACE "/clusters/c%d", (int)c), NULL);
            const bool is_made =
                strcmp(answer_text(told, "/properties/provisioningState"), "succeeded") == 0;
            const bool is_steady =
                strcmp(answer_text(told, "/properties/allocationState"), "steady") == 0;
            ck_assert(is_made || !is_steady);
            made_s[c] += !is_made;
            steady_s[c] += !is_steady;
        }
    }
    for (int32_t c = 0; c < CLUSTERS; c++) {
        ck_assert_int_lt(steady_s[c], LONGEST_S);
        ck_assert_int_le(steady_s[c] - made_s[c], 1); // 0.43 to 0.7 s
    }
}
END_TEST

START_TEST(a_resource_being_deleted_can_be_deleted_again_but_not_created)
{
    make_cluster();
    const Answer first = ask(HTTP_DELETE, CLUSTER, NULL);
    const Answer second = ask(HTTP_DELETE, CLUSTER, NULL);
    ck_assert_status(first, 202);
    ck_assert_status(second, 202);
    ck_assert_str_eq(answer_text(poll(second), "/status"), "InProgress");
    ck_assert_error(ask(HTTP_PUT, CLUSTER, cluster_body), 409, "Conflict");
    pass(1000);
    ck_assert_str_eq(answer_text(poll(second), "/status"), "Succeeded");
    ck_assert_status(ask(HTTP_DELETE, CLUSTER, NULL), 204);
    ck_assert_status(ask(HTTP_PUT, CLUSTER, cluster_body), 202);
}
END_TEST

/* --- Jobs --- */

START_TEST(a_job_runs_and_says_how_it_ended)
{
    make_cluster();
    make_job("j");
    Answer answer = ask(HTTP_GET, JOB, NULL);
    ck_assert_str_eq(answer_text(answer, "/properties/executionState"), "queued");
    ck_assert_ptr_null(json_find(answer.body, "/properties/executionInfo"));
    ck_assert_ptr_null(strstr(answer.text, "hush"));
    ck_assert_str_eq(answer_text(answer, "/properties/secrets/0/name"), "KEY");
    ck_assert_str_eq(answer_text(answer, "/properties/toolType"), "custommpi");
    ck_assert_str_eq(answer_text(answer, "/properties/constraints/maxWallClockTime"), "P7D");
    ck_assert_int_eq(json_find(answer.body, "/properties/customMpiSettings/processCount")->integer,
                     1);
    pass(60);
    answer = ask(HTTP_GET, JOB, NULL);
    ck_assert_str_eq(answer_text(answer, "/properties/executionState"), "succeeded");
    ck_assert_int_eq(json_find(answer.body, "/properties/executionInfo/exitCode")->integer, 0);
    ck_assert_str_eq(answer_text(answer, "/properties/executionInfo/endTime"),
                     answer_text(answer, "/properties/executionStateTransitionTime"));
    ck_assert_status(ask(HTTP_POST, JOB "/terminate", NULL), 200);
    // As recorded, the stored record, not the present one.
    const Answer stored = ask(HTTP_PUT, JOB, job_body);
    ck_assert_status(stored, 200);
    ck_assert_str_eq(answer_text(stored, "/properties/executionState"), "queued");
    ck_assert_ptr_null(json_find(stored.body, "/properties/executionInfo"));
    ck_assert_str_eq(answer_text(stored, "/properties/executionStateTransitionTime"),
                     answer_text(stored, "/properties/creationTime"));
    ck_assert_str_eq(state_of_job(), "succeeded");
    ck_assert_error(ask(HTTP_PUT, JOB, with_change(arena, job_body, "true", "false")), 409,
                    "Conflict");
}
END_TEST

START_TEST(a_job_needs_a_cluster_that_is_there)
{
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    ck_assert_error(ask(HTTP_PUT, JOB, job_body), 404, "ClusterNotFound");
    ck_assert_error(ask(HTTP_PUT, JOB, with_change(arena, job_body, "/clusters/c", "/clusters")),
                    400, "InvalidRequestContent");
    make_cluster();
    ck_assert_error(
        ask(HTTP_PUT, JOB, with_change(arena, job_body, "nodeCount\": 1", "nodeCount\": 0")), 400,
        "InvalidRequestContent");
    ck_assert_error(ask(HTTP_PUT, JOB,
                        with_change(arena, job_body,
                                    "\"customMpiSettings\": {\"commandLine\": \"true\"},", "")),
                    400, "InvalidRequestContent");
}
END_TEST

START_TEST(a_cluster_that_is_being_deleted_takes_no_more_jobs)
{
    make_cluster();
    make_job("before");
    ck_assert_status(ask(HTTP_DELETE, CLUSTER, NULL), 202);
    ck_assert_error(ask(HTTP_PUT, JOB, job_body), 409, "Conflict");
    ck_assert_error(ask(HTTP_GET, JOB, NULL), 404, "JobNotFound");
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT "/jobs/before", job_body), 200);
}
END_TEST

START_TEST(a_job_may_run_in_another_workspace)
{
    const char *other = "/resourceGroups/h/providers/Microsoft.BatchAI/workspaces/v";
    make_cluster();
    ck_assert_status(ask(HTTP_PUT, "/resourceGroups/h", "{\"location\": \"eastus\"}"), 201);
    ck_assert_status(ask(HTTP_PUT, other, "{\"location\": \"eastus\"}"), 200);
    ck_assert_status(ask(HTTP_PUT, arena_printf(arena, "%s/experiments/e", other), NULL), 200);
    const char *job = arena_printf(arena, "%s/experiments/e/jobs/j", other);
    ck_assert_status(ask(HTTP_PUT, job, job_body), 202);
    pass(60);
    const Answer answer = ask(HTTP_GET, job, NULL);
    ck_assert_str_eq(answer_text(answer, "/properties/cluster/id"), CLIENT_SUBSCRIPTION CLUSTER);
    ck_assert_str_eq(answer_text(answer, "/properties/executionState"), "succeeded");
}
END_TEST

/* az batchai job wait fails over a completed job whose start, end or exit code is missing. */
static void check_completed(const char *below)
{
    const Answer answer = ask(HTTP_GET, below, NULL);
    const Json *info = json_find(answer.body, "/properties/executionInfo");
    ck_assert_str_eq(answer_text(answer, "/properties/executionState"), "failed");
    ck_assert_ptr_nonnull(info);
    ck_assert_str_ne(answer_text(answer, "/properties/executionInfo/startTime"), "");
    ck_assert_str_ne(answer_text(answer, "/properties/executionInfo/endTime"), "");
    ck_assert_ptr_null(json_member(info, "exitCode"));
    ck_assert_str_eq(answer_text(answer, "/properties/executionInfo/errors/0/code"),
                     "JobTerminated");
}

START_TEST(a_terminated_job_says_so)
{
    make_cluster();
    make_job("j");
    make_job("second");
    Answer queued = ask(HTTP_POST, EXPERIMENT "/jobs/second/terminate", NULL);
    ck_assert_status(queued, 202);
    ck_assert_str_eq(answer_text(poll(queued), "/status"), "InProgress");
    ck_assert_status(ask(HTTP_POST, EXPERIMENT "/jobs/second/terminate", NULL), 202);
    session_advance(client.emulator->session,
                    session_now_ns(client.emulator->session) +
                        S / 2); // less than jobs take to start
    ck_assert_str_eq(answer_text(poll(queued), "/status"), "Succeeded");
    check_completed(EXPERIMENT "/jobs/second");

    while (strcmp(state_of_job(), "running") != 0)
        session_advance(client.emulator->session,
                        session_now_ns(client.emulator->session) + S / 100);
    const Answer before = ask(HTTP_GET, JOB, NULL);
    const Answer running = ask(HTTP_POST, JOB "/terminate", NULL);
    ck_assert_status(running, 202);
    const Answer after = ask(HTTP_GET, JOB, NULL);
    ck_assert_str_eq(http_get(&after.response, "ETag"), http_get(&before.response, "ETag"));
    ck_assert_str_eq(state_of_job(), "terminating");
    ck_assert_str_eq(answer_text(poll(running), "/status"), "InProgress");
    const Answer status = client_ask(client, HTTP_GET, path_of(running, "Location"), NULL);
    ck_assert_status(status, 202);
    ck_assert_str_eq(http_get(&status.response, "Retry-After"), "1");
    pass(30);
    check_completed(JOB);
    ck_assert_str_eq(answer_text(poll(running), "/status"), "Succeeded");
    ck_assert_status(client_ask(client, HTTP_GET, path_of(running, "Location"), NULL), 200);
}
END_TEST

START_TEST(a_job_that_took_too_long_ends_with_a_code)
{
    make_cluster();
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    const char *body =
        with_change(arena, job_body, "\"nodeCount\"",
                    "\"constraints\": {\"maxWallClockTime\": \"PT1S\"}, \"nodeCount\"");
    ck_assert_status(ask(HTTP_PUT, JOB, body), 202);
    pass(60);
    const Answer answer = ask(HTTP_GET, JOB, NULL);
    ck_assert_str_eq(answer_text(answer, "/properties/executionState"), "failed");
    ck_assert_str_eq(answer_text(answer, "/properties/constraints/maxWallClockTime"), "PT1S");
    ck_assert_int_eq(json_find(answer.body, "/properties/executionInfo/exitCode")->integer, 1);
}
END_TEST

/* In the service's words (batchai-service notes, "Cluster errors"). */
START_TEST(a_container_that_is_not_there_is_no_file_share)
{
    static const char words[] =
        "unable to mount blob fuse file system (Azure Blob Container 'lost' doesn't exist)";
    static const char blob[] =
        "\"azureBlobFileSystems\": [{\"relativeMountPath\": \"lost\", \"accountName\": \"acct\","
        " \"containerName\": \"lost\", \"credentials\": {\"accountKey\": \"hush\"}}]";
    const char *other = WORKSPACE "/clusters/other";
    make_cluster();
    ck_assert_status(ask(HTTP_PUT, other,
                         with_change(arena, cluster_body, "\"azureFileShares\"",
                                     arena_printf(arena, "%s, \"azureFileShares\"", blob))),
                     202);
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    ck_assert_status(
        ask(HTTP_PUT, JOB,
            with_change(arena, job_body, "\"nodeCount\"",
                        arena_printf(arena, "\"mountVolumes\": {%s}, \"nodeCount\"", blob))),
        202);
    pass(600);
    Answer answer = ask(HTTP_GET, other, NULL);
    ck_assert_str_eq(answer_text(answer, "/properties/errors/0/code"), "BFSMountError");
    ck_assert_str_eq(answer_text(answer, "/properties/errors/0/message"), words);
    answer = ask(HTTP_GET, JOB, NULL);
    ck_assert_str_eq(answer_text(answer, "/properties/executionInfo/errors/0/code"),
                     "BFSMountError");
    ck_assert_str_eq(answer_text(answer, "/properties/executionInfo/errors/0/message"), words);
}
END_TEST

/* The service took such a body; its nodes could not be used, and its jobs failed. */
START_TEST(a_share_that_is_not_there_is_found_missing_by_nodes_and_jobs)
{
    static const char mounts[] =
        "\"mountVolumes\": {\"azureFileShares\": [{\"relativeMountPath\": \"lost\","
        " \"azureFileUrl\": \"https://acct.file.core.windows.net/lost\","
        " \"accountName\": \"acct\", \"credentials\": {\"accountKey\": \"hush\"}}]}, \"nodeCount\"";
    const char *other = WORKSPACE "/clusters/other";
    make_cluster();
    ck_assert_status(ask(HTTP_PUT, other,
                         with_change(arena, cluster_body, "windows.net/share", "windows.net/lost")),
                     202);
    pass(600);
    Answer answer = ask(HTTP_GET, other, NULL);
    ck_assert_int_eq(
        json_find(answer.body, "/properties/nodeStateCounts/unusableNodeCount")->integer, 2);
    ck_assert_str_eq(answer_text(answer, "/properties/allocationState"), "steady");
    ck_assert_str_eq(answer_text(answer, "/properties/errors/1/code"), "AZFMountError");

    const char *job = with_change(arena, job_body, "\"nodeCount\"", mounts);
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    ck_assert_status(ask(HTTP_PUT, JOB,
                         with_change(arena, job, "$AZ_BATCHAI_MOUNT_ROOT/afs/logs",
                                     "$AZ_BATCHAI_JOB_MOUNT_ROOT/lost")),
                     202);
    pass(200);
    answer = ask(HTTP_GET, JOB, NULL);
    ck_assert_str_eq(answer_text(answer, "/properties/executionState"), "failed");
    ck_assert_str_eq(answer_text(answer, "/properties/executionInfo/errors/0/code"),
                     "AZFMountError");
    ck_assert_ptr_nonnull(strstr(answer.text, "\"nodeCount\":1,\"mountVolumes\":{"));
    answer = ask(HTTP_POST, JOB "/listOutputFiles?outputdirectoryid=stdouterr", NULL);
    ck_assert_status(answer, 200);
    ck_assert_int_eq(json_member(answer.body, "value")->count, 0);
}
END_TEST

/* The service accepted it; a listing reports the error (azure-docs, issue 15559). */
START_TEST(output_may_go_where_no_share_is_mounted)
{
    make_cluster();
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    ck_assert_status(
        ask(HTTP_PUT, JOB,
            with_change(arena, job_body, "$AZ_BATCHAI_MOUNT_ROOT/afs/logs", "/tmp/logs")),
        202);
    pass(60);
    ck_assert_str_eq(state_of_job(), "succeeded");
    const Answer files = ask(HTTP_POST, JOB "/listOutputFiles?outputdirectoryid=stdouterr", NULL);
    ck_assert_error(files, 400, "InvalidParameter");
    ck_assert_str_eq(answer_text(files, "/error/message"),
                     "The specified outputDirectoryId stdouterr is not present on a mount root");
    ck_assert_status(ask(HTTP_POST, JOB "/listOutputFiles?outputdirectoryid=OUT", NULL), 200);
}
END_TEST

/* As in a shell: an unset variable is empty. */
START_TEST(a_command_may_use_undeclared_variables)
{
    static const char *const commands[] = {
        "echo $AZ_BATCHAI_OUTPUT_NONE/x",
        "ls $AZ_BATCHAI_INPUT_NONE ${AZ_BATCHAI_SOMETHING}",
        "ls $AZ_BATCHAI_MOUNT_ROOT/nothing",
        "[ -z \\\"$AZ_BATCHAI_TASK_INDEX$AZ_BATCHAI_MPI_MASTER_NODE\\\" ]",
        "ls $AZ_BATCHAI_MOUNT_ROOT/* $AZ_BATCHAI_JOB_MOUNT_ROOT/nowhere/x",
    };
    const char *task = "\"nodeSetup\": {\"setupTask\": {\"commandLine\": \"%s\","
                       " \"stdOutErrPathPrefix\": \"$AZ_BATCHAI_MOUNT_ROOT/afs\"}, ";
    make_cluster();
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const char *job = arena_printf(arena, EXPERIMENT "/jobs/j%zu", i);
        const char *cluster = arena_printf(arena, WORKSPACE "/clusters/c%zu", i);
        ck_assert_status(ask(HTTP_PUT, job, with_change(arena, job_body, "true", commands[i])),
                         202);
        const char *setup = with_change(arena, task, "%s", commands[i]);
        ck_assert_status(
            ask(HTTP_PUT, cluster, with_change(arena, cluster_body, "\"nodeSetup\": {", setup)),
            202);
        pass(60);
        ck_assert_str_eq(answer_text(ask(HTTP_GET, job, NULL), "/properties/executionState"),
                         "succeeded");
    }
    // A prefix that is not a writable place is refused.
    ck_assert_error(ask(HTTP_PUT, JOB,
                        with_change(arena, job_body, "$AZ_BATCHAI_MOUNT_ROOT/afs/logs",
                                    "$AZ_BATCHAI_OUTPUT_NONE")),
                    400, "InvalidRequestContent");
}
END_TEST

START_TEST(a_command_prints_the_value_of_a_secret_and_nothing_else_has_it)
{
    const char *body = with_change(
        arena,
        with_change(arena, job_body, "\"customMpiSettings\": {\"commandLine\": \"true\"}",
                    "\"customToolkitSettings\": {\"commandLine\": \"echo $KEY\"},"
                    " \"containerSettings\": {\"imageSourceRegistry\": {\"image\": \"own/image\"}},"
                    " \"mountVolumes\": {\"unmanagedFileSystems\": []}"),
        "hush", "a secret word");
    make_cluster();
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    ck_assert_status(ask(HTTP_PUT, JOB, body), 202);
    const Answer shown = ask(HTTP_GET, JOB, NULL);
    ck_assert_ptr_null(strstr(shown.text, "a secret word"));
    ck_assert_ptr_nonnull(strstr(shown.text, "\"image\":\"own/image\""));
    ck_assert(strstr(shown.text, "containerSettings") < strstr(shown.text, "mountVolumes"));
    for (int is_restarted = 0; is_restarted < 2; is_restarted++) {
        const World *world = session_world(client.emulator->session);
        const JobSpec *spec = world_job(world, (JobId){0})->spec;
        const EnvironmentVariable *last = &spec->environment[spec->environment_count - 1];
        ck_assert_str_eq(last->name, "KEY");
        ck_assert_ptr_null(last->value);
        ck_assert_str_eq(last->secret, "a secret word");
        restart();
    }
    Text exported = {0};
    Status status = {0};
    ck_assert(session_export(client.emulator->session, &exported, &status));
    ck_assert_ptr_null(strstr(text_string(&exported), "a secret word"));
    text_free(&exported);
}
END_TEST

/* Secrets are not returned, so a body that a client sends back has none and is still accepted. */
START_TEST(a_secret_has_a_value_or_a_place)
{
    static const struct {
        const char *secret;
        int32_t status;
    } rows[] = {
        {"\"name\": \"KEY\"", 400},
        {"\"name\": \"KEY\", \"value\": \"hush\", \"valueSecretReference\": {\"sourceVault\":"
         " {\"id\": \"/v\"}, \"secretUrl\": \"https://v/secrets/s\"}",
         400},
        {"\"name\": \"KEY\", \"valueSecretReference\": {\"sourceVault\":"
         " {\"id\": \"/v\"}, \"secretUrl\": \"https://v/secrets/s\"}",
         202},
        {"\"name\": \"KEY\", \"value\": \"\"", 202},
    };
    const char *task =
        "\"nodeSetup\": {\"setupTask\": {\"commandLine\": \"true\", \"secrets\": [{%s}],"
        " \"stdOutErrPathPrefix\": \"$AZ_BATCHAI_MOUNT_ROOT/afs\"}, ";
    make_cluster();
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *job = arena_printf(arena, EXPERIMENT "/jobs/j%zu", i);
        const char *cluster = arena_printf(arena, WORKSPACE "/clusters/c%zu", i);
        const Answer answer = ask(
            HTTP_PUT, job,
            with_change(arena, job_body, "\"name\": \"KEY\", \"value\": \"hush\"", rows[i].secret));
        ck_assert_status(answer, rows[i].status);
        if (rows[i].status == 400)
            ck_assert_ptr_nonnull(strstr(answer.text, "properties.secrets[0]: "));
        const char *setup = with_change(arena, task, "%s", rows[i].secret);
        ck_assert_status(
            ask(HTTP_PUT, cluster, with_change(arena, cluster_body, "\"nodeSetup\": {", setup)),
            rows[i].status);
    }
    const Answer told = ask(HTTP_GET, EXPERIMENT "/jobs/j3", NULL);
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT "/jobs/j3", told.text), 200);
}
END_TEST

START_TEST(variables_have_names)
{
    make_cluster();
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    ck_assert_error(ask(HTTP_PUT, JOB,
                        with_change(arena, job_body, "\"secrets\"",
                                    "\"environmentVariables\": [{\"name\": \"\", \"value\": "
                                    "\"x\"}], \"secrets\"")),
                    400, "InvalidRequestContent");
    ck_assert_error(ask(HTTP_PUT, JOB, with_change(arena, job_body, "\"KEY\"", "\"\"")), 400,
                    "InvalidRequestContent");
}
END_TEST

START_TEST(output_does_not_climb_out_of_its_mount)
{
    static const struct {
        const char *old, *new, *where;
    } rows[] = {
        {"afs/logs", "afs/../../x", "properties.stdOutErrPathPrefix: "},
        {"/afs\"", "/afs/..\"", "properties.outputDirectories[0].pathPrefix: "},
        {"\"files\"", "\"../../x\"", "properties.outputDirectories[0].pathSuffix: "},
    };
    make_cluster();
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Answer answer =
            ask(HTTP_PUT, JOB, with_change(arena, job_body, rows[i].old, rows[i].new));
        ck_assert_error(answer, 400, "InvalidRequestContent");
        const char *message = answer_text(answer, "/error/message");
        ck_assert_msg(strncmp(message, rows[i].where, strlen(rows[i].where)) == 0, "%s", message);
    }
}
END_TEST

START_TEST(jobs_and_experiments_are_deleted)
{
    make_cluster();
    make_job("j");
    make_job("second");
    pass(60);
    const Answer job = ask(HTTP_DELETE, JOB, NULL);
    ck_assert_status(job, 202);
    ck_assert_str_eq(answer_text(ask(HTTP_GET, JOB, NULL), "/properties/provisioningState"),
                     "deleting");
    pass(60);
    ck_assert_str_eq(answer_text(poll(job), "/status"), "Succeeded");
    ck_assert_error(ask(HTTP_GET, JOB, NULL), 404, "JobNotFound");
    const Answer experiment = ask(HTTP_DELETE, EXPERIMENT, NULL);
    ck_assert_status(experiment, 202);
    ck_assert_str_eq(state_of(EXPERIMENT), "deleting");
    ck_assert_str_eq(state_of(EXPERIMENT "/jobs/second"), "deleting");
    ck_assert_error(ask(HTTP_PUT, EXPERIMENT, NULL), 409, "Conflict");
    ck_assert_error(ask(HTTP_PUT, EXPERIMENT "/jobs/third", job_body), 409, "Conflict");
    pass(60);
    ck_assert_str_eq(answer_text(poll(experiment), "/status"), "Succeeded");
    ck_assert_error(ask(HTTP_GET, EXPERIMENT "/jobs", NULL), 404, "ExperimentNotFound");
    ck_assert_status(ask(HTTP_GET, CLUSTER, NULL), 200);
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    ck_assert_str_eq(ask(HTTP_GET, EXPERIMENT "/jobs", NULL).text, "{\"value\":[]}");
}
END_TEST

/* How long an operation takes, up to 50 ms too long. */
static int64_t took_ms(Answer asked)
{
    const int64_t since_ns = session_now_ns(client.emulator->session);
    ck_assert_status(asked, 202);
    while (strcmp(answer_text(poll(asked), "/status"), "InProgress") == 0)
        session_advance(client.emulator->session,
                        session_now_ns(client.emulator->session) + S / 20);
    return (session_now_ns(client.emulator->session) - since_ns) / 1000000;
}

/* batchai-service notes, "Statistics by era", C. */
START_TEST(deletions_and_terminations_take_as_long_as_recorded)
{
    const char *empty = WORKSPACE "/clusters/empty";
    const char *waiting = with_change(arena, job_body, "/clusters/c", "/clusters/empty");
    make_cluster();
    make_job("j");
    pass(60);
    ck_assert_int_le(took_ms(ask(HTTP_DELETE, JOB, NULL)), 5380 + 50);

    make_job("j");
    while (strcmp(state_of_job(), "running") != 0)
        session_advance(client.emulator->session,
                        session_now_ns(client.emulator->session) + S / 100);
    int64_t ms = took_ms(ask(HTTP_DELETE, JOB, NULL));
    ck_assert_msg(ms >= 680 && ms <= 730, "%d", (int)ms);

    ck_assert_status(
        ask(HTTP_PUT, empty,
            with_change(arena, cluster_body, "\"targetNodeCount\": 2", "\"targetNodeCount\": 0")),
        202);
    ck_assert_status(ask(HTTP_PUT, JOB, waiting), 202);
    pass(60);
    const Answer asked = ask(HTTP_POST, JOB "/terminate", NULL);
    ck_assert_str_eq(state_of_job(), "queued");
    ms = took_ms(asked);
    ck_assert_msg(ms >= 390 && ms <= 440, "%d", (int)ms);
    ck_assert_str_eq(state_of_job(), "failed");
    ms = took_ms(ask(HTTP_DELETE, JOB, NULL));
    ck_assert_msg(ms >= 120 && ms <= 490, "%d", (int)ms);

    ck_assert_status(ask(HTTP_PUT, JOB, waiting), 202);
    pass(60);
    ms = took_ms(ask(HTTP_DELETE, EXPERIMENT, NULL));
    ck_assert_msg(ms >= 360 && ms <= 490, "%d", (int)ms);

    took_ms(ask(HTTP_DELETE, CLUSTER, NULL));
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    ck_assert_status(ask(HTTP_PUT, JOB, waiting), 202);
    pass(60);
    ms = took_ms(ask(HTTP_DELETE, WORKSPACE, NULL));
    ck_assert_msg(ms >= 198900 && ms <= 198950, "%d", (int)ms);
}
END_TEST

START_TEST(a_job_has_nodes_while_it_runs)
{
    make_cluster();
    make_job("j");
    const char *logins = JOB "/listRemoteLoginInformation";
    ck_assert_str_eq(ask(HTTP_POST, logins, NULL).text, "{\"value\":[]}");
    while (strcmp(state_of_job(), "running") != 0)
        session_advance(client.emulator->session,
                        session_now_ns(client.emulator->session) + S / 100);
    const Answer answer = ask(HTTP_POST, logins, NULL);
    ck_assert_int_eq(json_member(answer.body, "value")->count, 1);
    ck_assert_int_eq(json_find(answer.body, "/value/0/port")->integer, 50000);
    const Answer list = ask(HTTP_GET, EXPERIMENT "/jobs", NULL);
    ck_assert_str_eq(answer_text(list, "/value/0/properties/executionState"), "running");
    pass(60);
    ck_assert_str_eq(ask(HTTP_POST, logins, NULL).text, "{\"value\":[]}");
}
END_TEST

START_TEST(with_a_running_clock_the_end_of_a_job_is_reported_a_little_late)
{
    make_cluster();
    make_job("j");
    client.emulator->pace.clock = (Clock){.kind = CLOCK_RATE, .rate_ppm = 60000000}; // x60
    const Session *session = client.emulator->session;
    const Record *record = session_find(
        session, RECORD_JOB,
        (ResourcePath){.group = "g", .workspace = "w", .experiment = "e", .name = "j"});
    const Job *job = world_job(session_world((Session *)session), record->job);
    while (job->ended_ns == INT64_MAX)
        session_advance(client.emulator->session, session_now_ns(session) + S / 100);
    ck_assert_str_eq(state_of_job(), "running");
    pass(89); // 1.5 s of the machine are 90 s
    ck_assert_str_eq(state_of_job(), "running");
    const Answer told = ask(HTTP_GET, JOB, NULL);
    ck_assert_ptr_null(json_find(told.body, "/properties/executionInfo/endTime"));
    client.emulator->pace.clock.is_paused = true;
    ck_assert_str_eq(state_of_job(), "succeeded");
    client.emulator->pace.clock.is_paused = false;
    pass(1);
    ck_assert_str_eq(state_of_job(), "succeeded");
}
END_TEST

static void tell_clock(const char *body)
{
    HttpRequest request = {
        .arena = arena, .query_text = "", .body = body, .body_bytes = strlen(body)};
    HttpResponse response = http_response(0);
    const ControlCall call = {.control = &client.emulator->control,
                              .request = &request,
                              .response = &response,
                              .arena = arena};
    clock_tell(&call);
    ck_assert_msg(response.status == 200, "%s: %s", body, response.body);
}

START_TEST(results_up_to_an_answer_of_the_clock_are_stored_at_once)
{
    make_cluster();
    client.emulator->pace.clock = (Clock){.kind = CLOCK_RATE, .rate_ppm = 60000000};
    make_job("j");
    tell_clock("{\"do\": \"run-until\", \"until\": \"job j completed\"}");
    ck_assert_str_eq(state_of_job(), "succeeded");
    restart();
    client.emulator->pace.clock = (Clock){.kind = CLOCK_RATE, .rate_ppm = 60000000};
    ck_assert_str_eq(state_of_job(), "succeeded");
    // Results reported while the clock was stopped do not change when it continues.
    tell_clock("{\"do\": \"pause\"}");
    make_job("k");
    const Job *job = world_job(session_world(client.emulator->session), (JobId){1});
    while (job->ended_ns == INT64_MAX)
        session_advance(client.emulator->session,
                        session_now_ns(client.emulator->session) + S / 100);
    tell_clock("{\"do\": \"resume\"}");
    ck_assert_str_eq(
        answer_text(ask(HTTP_GET, EXPERIMENT "/jobs/k", NULL), "/properties/executionState"),
        "succeeded");
}
END_TEST

START_TEST(a_job_that_was_stopped_in_the_queue_never_ran_to_its_end)
{
    make_cluster();
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    for (int is_deleted = 0; is_deleted < 2; is_deleted++) {
        const char *path = arena_printf(arena, EXPERIMENT "/jobs/j%d", is_deleted);
        const char *state = "/properties/executionState";
        Session *session = client.emulator->session;
        ck_assert_status(ask(HTTP_PUT, path,
                             with_change(arena, job_body, "\"nodeCount\": 1", "\"nodeCount\": 2")),
                         202);
        while (strcmp(answer_text(ask(HTTP_GET, path, NULL), state), "running") != 0)
            session_advance(session, session_now_ns(session) + S / 100);
        // It is queued again, and cannot start before the node is back.
        Problems problems = problems_create(arena);
        Json *reboot = json_object(arena);
        json_put_text(arena, reboot, "do", "node.reboot");
        json_put_text(arena, reboot, "job", arena_printf(arena, "j%d", is_deleted));
        ck_assert_msg(session_command(session, reboot, NULL, &problems), "%s",
                      problems.count > 0 ? problems.items[0].message : "");
        ck_assert_str_eq(answer_text(ask(HTTP_GET, path, NULL), state), "queued");
        client.emulator->pace.clock = (Clock){.kind = CLOCK_RATE, .rate_ppm = 10000000}; // x10
        if (is_deleted)
            ck_assert_status(ask(HTTP_DELETE, path, NULL), 202);
        else
            ck_assert_status(ask(HTTP_POST, arena_printf(arena, "%s/terminate", path), NULL), 202);
        Answer told = ask(HTTP_GET, path, NULL);
        for (int i = 0; i < 300 && told.status == 200; i++) {
            ck_assert_str_ne(answer_text(told, state), "running");
            if (strcmp(answer_text(told, state), "failed") == 0) {
                ck_assert_ptr_nonnull(json_find(told.body, "/properties/executionInfo/endTime"));
                ck_assert_ptr_null(json_find(told.body, "/properties/executionInfo/exitCode"));
            }
            session_advance(session, session_now_ns(session) + S / 10);
            told = ask(HTTP_GET, path, NULL);
        }
        if (is_deleted)
            ck_assert_status(told, 404);
        else
            ck_assert_str_eq(answer_text(told, state), "failed");
        client.emulator->pace.clock = (Clock){.kind = CLOCK_MANUAL};
        pass(600);
    }
}
END_TEST

static void apply_fault(const char *fault)
{
    Problems problems = problems_create(arena);
    Json *command = json_parse(arena, "fault", fault, strlen(fault), JSON_STRICT, &problems);
    ck_assert_ptr_nonnull(command);
    ck_assert_msg(session_command(client.emulator->session, command, NULL, &problems), "%s",
                  problems.count > 0 ? problems.items[0].message : "");
}

static int64_t nodes_in(const char *state)
{
    const Answer shown = ask(HTTP_GET, CLUSTER, NULL);
    return json_find(shown.body, arena_printf(arena, "/properties/nodeStateCounts/%s", state))
        ->integer;
}

START_TEST(a_drained_node_is_running_then_unusable_then_idle)
{
    make_cluster();
    make_job("j");
    Session *session = client.emulator->session;
    while (strcmp(answer_text(ask(HTTP_GET, JOB, NULL), "/properties/executionState"), "running") !=
           0)
        session_advance(session, session_now_ns(session) + S / 100);
    apply_fault("{\"do\": \"node.drain\", \"cluster\": \"c\", \"node\": 1, "
                "\"reason\": \"new drivers\"}");
    ck_assert_int_eq(nodes_in("runningNodeCount"), 1);
    ck_assert_status(ask(HTTP_POST, JOB "/terminate", NULL), 202);
    pass(600);
    ck_assert_int_eq(nodes_in("unusableNodeCount"), 1);
    ck_assert_str_eq(answer_text(ask(HTTP_GET, CLUSTER, NULL), "/properties/errors/0/message"),
                     "the node is drained: new drivers");
    apply_fault("{\"do\": \"node.resume\", \"cluster\": \"c\", \"node\": 1}");
    pass(600);
    ck_assert_int_eq(nodes_in("unusableNodeCount"), 0);
}
END_TEST

/* --- Files --- */

START_TEST(output_files_are_listed_with_addresses)
{
    make_cluster();
    make_job("j");
    const char *list = JOB "/listOutputFiles?outputdirectoryid=";
    Answer answer = ask(HTTP_POST, arena_printf(arena, "%sstdouterr", list), NULL);
    ck_assert_str_eq(answer.text, "{\"value\":[]}");
    pass(60);
    const char *segment =
        answer_text(ask(HTTP_GET, JOB, NULL), "/properties/jobOutputDirectoryPathSegment");
    answer = ask(HTTP_POST, arena_printf(arena, "%sstdouterr&directory=.", list), NULL);
    ck_assert_int_eq(json_member(answer.body, "value")->count, 3);
    static const char *const names[] = {"execution.log", "stderr.txt", "stdout.txt"};
    for (int32_t i = 0; i < 3; i++) {
        const Json *entry = json_item(json_member(answer.body, "value"), i);
        ck_assert_str_eq(json_member(entry, "name")->text, names[i]);
        ck_assert_str_eq(json_member(entry, "fileType")->text, "file");
        ck_assert_ptr_nonnull(
            strstr(json_member(entry, "downloadUrl")->text,
                   arena_printf(arena, "/acct/share/logs/%s/stdouterr/%s?", segment, names[i])));
        ck_assert_ptr_nonnull(strstr(json_member(entry, "downloadUrl")->text, "sp=rl"));
        // An hour from small_emulator.h's 2026-11-18T11:06:40Z, not from simulated time.
        ck_assert_ptr_nonnull(
            strstr(json_member(entry, "downloadUrl")->text, "&se=2026-11-18T12%3A06%3A40Z&"));
        const char *modified = json_find(entry, "/properties/lastModified")->text;
        ck_assert_msg(strncmp(modified, "2018-06-06T21:", 14) == 0, "%s", modified);
        ck_assert(!strchr(modified, '.')); // to the second
    }

    // What clients put there is listed too.
    const ShareName share = {.account = "acct", .share = "share"};
    const char *out = arena_printf(arena, "%s/outputs/files", segment);
    for (const char *slash = strchr(out, '/'); slash; slash = strchr(slash + 1, '/'))
        (void)files_directory_create(small.emulator->files, share,
                                     arena_strndup(arena, out, (size_t)(slash - out)), NULL);
    ck_assert_int_eq(files_directory_create(small.emulator->files, share, out, NULL), FILES_OK);
    ck_assert_int_eq(files_directory_create(small.emulator->files, share,
                                            arena_printf(arena, "%s/counters", out), NULL),
                     FILES_OK);
    ck_assert_int_eq(files_file_create(small.emulator->files, share,
                                       arena_printf(arena, "%s/hi.txt", out), 6, NULL, NULL),
                     FILES_OK);
    answer = ask(HTTP_POST, arena_printf(arena, "%sOUT&directory=./&maxresults=1", list), NULL);
    ck_assert_int_eq(json_member(answer.body, "value")->count, 1);
    ck_assert_str_eq(answer_text(answer, "/value/0/name"), "counters");
    ck_assert_str_eq(answer_text(answer, "/value/0/fileType"), "directory");
    ck_assert_ptr_null(json_find(answer.body, "/value/0/downloadUrl"));
    const char *next = answer_text(answer, "/nextLink");
    answer = client_ask(client, HTTP_GET, next + strlen("https://127.0.0.1:8443"), NULL);
    ck_assert_str_eq(answer_text(answer, "/value/0/name"), "hi.txt");
    ck_assert_int_eq(json_find(answer.body, "/value/0/properties/contentLength")->integer, 6);
    ck_assert_str_eq(answer_text(answer, "/nextLink"), "");
    answer = ask(HTTP_POST, arena_printf(arena, "%sOUT&directory=counters%%2F.", list), NULL);
    ck_assert_str_eq(answer.text, "{\"value\":[]}");

    ck_assert_error(ask(HTTP_POST, JOB "/listOutputFiles", NULL), 400, "InvalidParameter");
    ck_assert_error(ask(HTTP_POST, arena_printf(arena, "%sNONE", list), NULL), 404,
                    "OutputDirectoryNotFound");
    ck_assert_error(ask(HTTP_POST, arena_printf(arena, "%sOUT&directory=../x", list), NULL), 400,
                    "InvalidParameter");
    ck_assert_error(ask(HTTP_POST, arena_printf(arena, "%sOUT&linkexpiryinminutes=4", list), NULL),
                    400, "InvalidParameter");
    ck_assert_error(ask(HTTP_POST, arena_printf(arena, "%sOUT&maxresults=1x", list), NULL), 400,
                    "InvalidParameter");
}
END_TEST

/* GET of an address that a list of files contains. */
static HttpResponse download(const char *url)
{
    const char *path = strchr(url + strlen("http://"), '/'), *mark = strchr(path, '?');
    HttpRequest request = {.arena = arena,
                           .listener = LISTENER_PLAIN,
                           .method = HTTP_GET,
                           .method_text = "GET",
                           .target = arena_strndup(arena, path, (size_t)(mark - path)),
                           .query_text = mark + 1,
                           .host = "127.0.0.1:8080",
                           .body = ""};
    ck_assert(http_read_query(&request, mark + 1));
    HttpResponse response;
    files_handle(&client.emulator->azure_files, &request, &response);
    return response;
}

static void make_container(const char *name)
{
    Problems problems = problems_create(arena);
    Json *container = json_object(arena);
    json_put_text(arena, container, "do", "share.create");
    json_put_text(arena, container, "name", arena_printf(arena, "acct/blob:%s", name));
    json_put_text(arena, container, "tier", "blob");
    ck_assert(session_command(client.emulator->session, container, NULL, &problems));
}

START_TEST(output_in_a_container_is_listed_as_blobs)
{
    Problems problems = problems_create(arena);
    make_container("box");
    static const char makes[] =
        "[{\"match\": \"true\", \"script\": \"mkdir $AZ_BATCHAI_OUTPUT_OUT/a; "
        "echo x > $AZ_BATCHAI_OUTPUT_OUT/a/f\"}]";
    ck_assert(programs_set_all(client.emulator->session, arena, "programs", makes, strlen(makes),
                               &problems));
    ck_assert_status(
        ask(HTTP_PUT, CLUSTER,
            with_change(arena, cluster_body, "\"mountVolumes\": {",
                        "\"mountVolumes\": {\"azureBlobFileSystems\": [{\"accountName\": "
                        "\"acct\", \"containerName\": \"box\", \"relativeMountPath\": \"bfs\", "
                        "\"credentials\": {\"accountKey\": \"x\"}}], ")),
        202);
    pass(400);
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    const char *body = with_change(arena, job_body, "/afs/logs\"", "/bfs/logs\"");
    body = with_change(arena, body, "ROOT/afs\"", "ROOT/bfs\"");
    body = with_change(arena, body, "customMpiSettings", "customToolkitSettings");
    ck_assert_status(ask(HTTP_PUT, JOB, body), 202);
    pass(60);
    ck_assert_str_eq(state_of_job(), "succeeded");
    Answer answer = ask(HTTP_POST, JOB "/listOutputFiles?outputdirectoryid=stdouterr", NULL);
    ck_assert_msg(json_member(answer.body, "value")->count == 3, "%s", answer.text);
    const Json *entry = json_item(json_member(answer.body, "value"), 0);
    ck_assert_str_eq(json_member(entry, "name")->text, "execution.log");
    const char *url = json_member(entry, "downloadUrl")->text;
    ck_assert_ptr_nonnull(strstr(url, "&sr=b&"));
    HttpResponse blob = download(url);
    ck_assert_int_eq(blob.status, 200);
    ck_assert_str_eq(http_get(&blob, "x-ms-blob-type"), "BlockBlob");
    ck_assert_int_eq(download(with_change(arena, url, "&sr=b&", "&sr=f&")).status, 403);
    if (blob.source.free)
        blob.source.free(blob.source.owner);
    // As recorded, a directory is a blob of no bytes, and a directory.
    answer = ask(HTTP_POST, JOB "/listOutputFiles?outputdirectoryid=OUT", NULL);
    const Json *list = json_member(answer.body, "value");
    ck_assert_int_eq(list->count, 2);
    ck_assert_str_eq(json_member(json_item(list, 0), "fileType")->text, "file");
    ck_assert_int_eq(json_find(json_item(list, 0), "/properties/contentLength")->integer, 0);
    ck_assert_str_eq(json_member(json_item(list, 1), "fileType")->text, "directory");
    ck_assert_str_eq(json_member(json_item(list, 1), "name")->text, "a");
}
END_TEST

static bool has_file(const char *share, bool is_container, const char *path)
{
    FilesEntry entry;
    const ShareName name = {.account = "acct", .share = share, .is_container = is_container};
    return files_look(client.emulator->files, arena, name, path, &entry) == FILES_OK;
}

/* The path of the first file that the job's output directory `id` lists, and its URL. */
static const char *first_output(const char *id, const char **url)
{
    const Answer answer =
        ask(HTTP_POST, arena_printf(arena, JOB "/listOutputFiles?outputdirectoryid=%s", id), NULL);
    *url = answer_text(answer, "/value/0/downloadUrl");
    const char *path = strstr(*url, "/share/");
    ck_assert_ptr_nonnull(path);
    path += strlen("/share/");
    return arena_strndup(arena, path, strcspn(path, "?"));
}

/* The account has a file share "share"; the job logs there and writes its output to the container
 * "share". */
START_TEST(a_container_and_a_share_of_one_name_are_two)
{
    Problems problems = problems_create(arena);
    make_container("share");
    static const char makes[] =
        "[{\"match\": \"true\", \"script\": \"echo x > $AZ_BATCHAI_OUTPUT_OUT/f\"}]";
    ck_assert(programs_set_all(client.emulator->session, arena, "programs", makes, strlen(makes),
                               &problems));
    ck_assert_status(
        ask(HTTP_PUT, CLUSTER,
            with_change(arena, cluster_body, "\"mountVolumes\": {",
                        "\"mountVolumes\": {\"azureBlobFileSystems\": [{\"accountName\": "
                        "\"acct\", \"containerName\": \"share\", \"relativeMountPath\": \"bfs\", "
                        "\"credentials\": {\"accountKey\": \"x\"}}], ")),
        202);
    pass(400);
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    const char *body = with_change(arena, job_body, "ROOT/afs\"", "ROOT/bfs\"");
    ck_assert_status(ask(HTTP_PUT, JOB, with_change(arena, body, "customMpi", "customToolkit")),
                     202);
    pass(60);
    ck_assert_str_eq(state_of_job(), "succeeded");
    for (int i = 0; i < 2; i++) {
        const char *log_url, *output_url;
        const char *log = first_output("stdouterr", &log_url);
        const char *output = first_output("OUT", &output_url);
        ck_assert_ptr_nonnull(strstr(log_url, "&sr=f&"));
        ck_assert_ptr_nonnull(strstr(output_url, "&sr=b&"));
        ck_assert(has_file("share", false, log) && !has_file("share", true, log));
        ck_assert(has_file("share", true, output) && !has_file("share", false, output));
        // A signature for the file share does not open the container, whatever name it has.
        ck_assert(!has_file("blob:share", false, output));
        HttpResponse blob = download(output_url);
        ck_assert_int_eq(blob.status, 200);
        if (blob.source.free)
            blob.source.free(blob.source.owner);
        ck_assert_int_eq(download(with_change(arena, output_url, "&sr=b&", "&sr=f&")).status, 403);
        int32_t count;
        bool more;
        const FilesEntry *shares =
            files_shares(client.emulator->files, arena, "acct", "", "", 10, false, &count, &more);
        ck_assert_int_eq(count, 1);
        ck_assert_str_eq(shares[0].name, "share");
        restart();
    }
}
END_TEST

/* Sessions of earlier versions created containers as file shares, which jobs mounted. */
START_TEST(a_container_of_an_earlier_version_is_the_share_of_its_name)
{
    ck_assert_status(
        ask(HTTP_PUT, CLUSTER,
            with_change(arena, cluster_body, "\"mountVolumes\": {",
                        "\"mountVolumes\": {\"azureBlobFileSystems\": [{\"accountName\": "
                        "\"acct\", \"containerName\": \"share\", \"relativeMountPath\": \"bfs\", "
                        "\"credentials\": {\"accountKey\": \"x\"}}], ")),
        202);
    pass(400);
    ck_assert_int_eq(
        json_find(ask(HTTP_GET, CLUSTER, NULL).body, "/properties/nodeStateCounts/idleNodeCount")
            ->integer,
        2);
}
END_TEST

START_TEST(a_set_up_task_logs_where_the_cluster_says)
{
    const char *body =
        arena_printf(arena,
                     "%.*s, \"setupTask\": {\"commandLine\": \"echo hi\", \"stdOutErrPathPrefix\":"
                     " \"$AZ_BATCHAI_MOUNT_ROOT/afs\"}}}}",
                     (int)(strlen(cluster_body) - strlen("}}}")), cluster_body);
    ck_assert_status(ask(HTTP_PUT, CLUSTER, body), 202);
    pass(400);
    const char *suffix = answer_text(ask(HTTP_GET, CLUSTER, NULL),
                                     "/properties/nodeSetup/setupTask/stdOutErrPathSuffix");
    const ShareName share = {.account = "acct", .share = "share"};
    const Answer logins = ask(HTTP_POST, CLUSTER "/listRemoteLoginInformation", NULL);
    for (int i = 0; i < 2; i++) {
        const char *node = answer_text(logins, arena_printf(arena, "/value/%d/nodeId", i));
        FilesEntry entry;
        ck_assert_int_eq(files_look(small.emulator->files, arena, share,
                                    arena_printf(arena, "%s/stdout-%s.txt", suffix, node), &entry),
                         FILES_OK);
        ck_assert_int_gt(entry.bytes, 0);
    }
}
END_TEST

/* --- File servers --- */

START_TEST(a_file_server_takes_its_time_and_is_mountable_then)
{
    const Answer asked = ask(HTTP_PUT, FILE_SERVER, file_server_body);
    ck_assert_status(asked, 202);
    Answer answer = ask(HTTP_GET, FILE_SERVER, NULL);
    ck_assert_str_eq(answer_text(answer, "/properties/provisioningState"), "creating");
    ck_assert_str_eq(answer_text(answer, "/id"), CLIENT_SUBSCRIPTION WORKSPACE "/fileservers/f");
    ck_assert_ptr_null(json_find(answer.body, "/properties/mountSettings"));
    pass(400);
    ck_assert_str_eq(answer_text(poll(asked), "/status"), "Succeeded");
    answer = client_ask(client, HTTP_GET, path_of(asked, "Location"), NULL);
    ck_assert_str_eq(answer_text(answer, "/properties/mountSettings/mountPoint"), "/data");
    ck_assert_ptr_nonnull(strstr(answer.text, "\"diskSizeInGB\":10,\"cachingType\":\"none\","));
    ck_assert_ptr_null(strstr(answer.text, "hush"));
    const Answer gone = ask(HTTP_DELETE, FILE_SERVER, NULL);
    ck_assert_status(gone, 202);
    ck_assert_str_eq(answer_text(poll(gone), "/status"), "InProgress");
    pass(1000);
    ck_assert_str_eq(answer_text(poll(gone), "/status"), "Succeeded");
    ck_assert_error(ask(HTTP_GET, FILE_SERVER, NULL), 404, "FileServerNotFound");
    ck_assert_error(ask(HTTP_PUT, FILE_SERVER, with_change(arena, file_server_body, "D1", "X1")),
                    400, "InvalidRequestContent");
}
END_TEST

/* --- Operations --- */

START_TEST(a_file_server_is_mounted_by_its_id)
{
    static const char mounts[] =
        "\"fileServers\": [{\"relativeMountPath\": \"nfs\", \"fileServer\":"
        " {\"id\": \"" CLIENT_SUBSCRIPTION FILE_SERVER "\"}}]";
    const char *shares = "\"azureFileShares\"";
    const char *cluster =
        with_change(arena, cluster_body, shares, arena_printf(arena, "%s, %s", mounts, shares));
    const char *job =
        with_change(arena, job_body, "\"nodeCount\"",
                    arena_printf(arena, "\"mountVolumes\": {%s}, \"nodeCount\"", mounts));
    Answer answer = ask(HTTP_PUT, CLUSTER, cluster);
    ck_assert_error(answer, 404, "FileServerNotFound");
    ck_assert_str_eq(answer_text(answer, "/error/message"),
                     "The specified file server f is not found");
    ck_assert_error(
        ask(HTTP_PUT, CLUSTER, with_change(arena, cluster, "workspaces/w/f", "workspaces/x/f")),
        404, "WorkspaceNotFound");
    answer = ask(HTTP_PUT, CLUSTER, with_change(arena, cluster, "/fileServers/f", "/fileServers"));
    ck_assert_error(answer, 400, "InvalidRequestContent");
    ck_assert_str_eq(answer_text(answer, "/error/message"),
                     "properties.nodeSetup.mountVolumes.fileServers[0].fileServer.id: expected the "
                     "id of a file server of this subscription");
    make_cluster();
    ck_assert_status(ask(HTTP_PUT, EXPERIMENT, NULL), 200);
    ck_assert_error(ask(HTTP_PUT, JOB, job), 404, "FileServerNotFound");

    ck_assert_status(ask(HTTP_PUT, FILE_SERVER, file_server_body), 202);
    pass(1000);
    ck_assert_status(ask(HTTP_PUT, WORKSPACE "/clusters/other", cluster), 202);
    ck_assert_status(ask(HTTP_PUT, JOB, job), 202);
}
END_TEST

START_TEST(file_servers_of_two_workspaces_are_two)
{
    static const char other[] = GROUP "/providers/Microsoft.BatchAI/workspaces/w2";
    const char *other_server = arena_printf(arena, "%s/fileServers/f", other);
    const char *cluster = with_change(
        arena, cluster_body, "\"azureFileShares\"",
        arena_printf(arena,
                     "\"fileServers\": [{\"relativeMountPath\": \"nfs\", \"fileServer\": "
                     "{\"id\": \"%s%s\"}}], \"azureFileShares\"",
                     CLIENT_SUBSCRIPTION, other_server));
    ck_assert_status(ask(HTTP_PUT, other, "{\"location\": \"northeurope\"}"), 200);
    ck_assert_status(ask(HTTP_PUT, FILE_SERVER, file_server_body), 202);
    ck_assert_error(ask(HTTP_GET, other_server, NULL), 404, "FileServerNotFound");
    ck_assert_status(ask(HTTP_PUT, other_server, file_server_body), 202);
    pass(400);
    ck_assert_str_eq(state_of(FILE_SERVER), "succeeded");
    ck_assert_str_eq(state_of(other_server), "succeeded");

    // A job that mounts the second server loses it when the second is deleted, not when the first
    // is.
    ck_assert_status(ask(HTTP_DELETE, FILE_SERVER, NULL), 202);
    ck_assert_status(ask(HTTP_PUT, CLUSTER, cluster), 202);
    pass(400);
    Answer answer = ask(HTTP_GET, CLUSTER, NULL);
    ck_assert_ptr_nonnull(strstr(answer.text, "\"idleNodeCount\":2"));
    pass(100);
    ck_assert_status(ask(HTTP_PUT, FILE_SERVER, file_server_body), 202);
    ck_assert_status(ask(HTTP_DELETE, other_server, NULL), 202);
    ck_assert_status(ask(HTTP_PUT, WORKSPACE "/clusters/late", cluster), 202);
    pass(400);
    ck_assert_str_eq(state_of(FILE_SERVER), "succeeded");
    answer = ask(HTTP_GET, WORKSPACE "/clusters/late", NULL);
    ck_assert_ptr_nonnull(strstr(answer.text, "\"unusableNodeCount\":2"));
    restart(); // what mounts what is the same once more
    ck_assert_str_eq(ask(HTTP_GET, WORKSPACE "/clusters/late", NULL).text, answer.text);
}
END_TEST

START_TEST(an_operation_reports_its_start_and_its_end)
{
    const Answer asked = ask(HTTP_PUT, CLUSTER, cluster_body);
    Answer answer = poll(asked);
    const char *path = path_of(asked, "Azure-AsyncOperation");
    const char *id = arena_strndup(arena, strrchr(path, '/') + 1, GUID_TEXT - 1);
    ck_assert_ptr_nonnull(strstr(path, "/locations/northeurope/operationresults/"));
    ck_assert_ptr_nonnull(strstr(path_of(asked, "Location"), "/operationstatuses/"));
    ck_assert_ptr_nonnull(strstr(path_of(asked, "Location"), id));
    ck_assert_str_eq(answer.text,
                     arena_printf(arena,
                                  "{\"id\":\"https://127.0.0.1:8443" CLIENT_SUBSCRIPTION
                                  "/providers/Microsoft.BatchAI/locations/northeurope/"
                                  "operationresults/%s\",\"name\":\"%s\",\"status\":\"InProgress\","
                                  "\"startTime\":\"2018-06-06T21:06:02.015Z\"}",
                                  id, id));
    ck_assert_str_eq(http_get(&answer.response, "Retry-After"), "1");
    pass(60);
    answer = poll(asked);
    ck_assert_str_eq(answer_text(answer, "/status"), "Succeeded");
    ck_assert_str_eq(answer_text(answer, "/properties/resourceId"),
                     "00000000-0000-0000-0000-000000000000$g$w$c");
    ck_assert_ptr_null(http_get(&answer.response, "Retry-After"));
}
END_TEST

START_TEST(an_unknown_number_is_not_an_operation)
{
    const Answer asked = ask(HTTP_PUT, CLUSTER, cluster_body);
    char *path = arena_strdup(arena, path_of(asked, "Azure-AsyncOperation"));
    char *id = strstr(path, "operationresults/") + strlen("operationresults/");
    ck_assert_status(client_ask(client, HTTP_GET, path, NULL), 200);
    for (int i = 0; i < GUID_TEXT - 1; i++) {
        const char old = id[i];
        id[i] = old == '1' ? '2' : '1';
        ck_assert_error(client_ask(client, HTTP_GET, path, NULL), 404, "OperationNotFound");
        id[i] = old;
    }
    ck_assert_error(ask(HTTP_GET, "/operationresults/x", NULL), 404, "OperationNotFound");
}
END_TEST

START_TEST(the_content_of_a_container_is_deleted_with_it)
{
    make_cluster();
    make_job("j");
    pass(60);
    const Answer gone = ask(HTTP_DELETE, WORKSPACE, NULL);
    ck_assert_status(gone, 202);
    ck_assert_str_eq(answer_text(poll(gone), "/status"), "InProgress");
    static const char *const below[] = {WORKSPACE, CLUSTER, EXPERIMENT, JOB};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++)
        ck_assert_str_eq(state_of(below[i]), "deleting");
    pass(1000);
    ck_assert_error(ask(HTTP_GET, JOB, NULL), 404, "WorkspaceNotFound");
    const Answer over = poll(gone);
    ck_assert_str_eq(answer_text(over, "/status"), "Succeeded");
    ck_assert_str_ne(answer_text(over, "/startTime"), answer_text(over, "/endTime"));
    ck_assert_str_eq(answer_text(over, "/properties/resourceId"),
                     "00000000-0000-0000-0000-000000000000$g$w");
    // A new one of that name is another.
    ck_assert_status(ask(HTTP_PUT, WORKSPACE, "{\"location\": \"northeurope\"}"), 200);
    ck_assert_status(ask(HTTP_PUT, CLUSTER, cluster_body), 202);
    ck_assert_str_eq(answer_text(poll(gone), "/status"), "Succeeded");
    const Answer group = ask(HTTP_DELETE, GROUP, NULL);
    ck_assert_status(group, 202);
    const char *location = http_get(&group.response, "Location") + strlen("https://127.0.0.1:8443");
    ck_assert_status(client_ask(client, HTTP_GET, location, NULL), 202);
    pass(1000);
    ck_assert_status(client_ask(client, HTTP_GET, location, NULL), 200);
}
END_TEST

START_TEST(a_workspace_that_is_being_deleted_takes_nothing_until_it_is_gone)
{
    static const struct {
        HttpMethod method;
        const char *below, *body;
    } writes[] = {
        {HTTP_PUT, WORKSPACE, "{\"location\": \"northeurope\"}"},
        {HTTP_PUT, WORKSPACE, "{\"location\": \"westus2\"}"},
        {HTTP_PATCH, WORKSPACE, "{\"tags\": {\"a\": \"b\"}}"},
        {HTTP_PUT, EXPERIMENT, NULL},
        {HTTP_PUT, CLUSTER, cluster_body},
        {HTTP_PUT, WORKSPACE "/clusters/d", cluster_body},
        {HTTP_PUT, FILE_SERVER, file_server_body},
    };
    make_cluster();
    const Answer first = ask(HTTP_DELETE, WORKSPACE, NULL);
    pass(60);
    const Answer told = ask(HTTP_GET, WORKSPACE, NULL);
    ck_assert_str_eq(answer_text(told, "/properties/provisioningState"), "deleting");
    ck_assert_str_eq(answer_text(told, "/properties/creationTime"), "2018-06-06T21:06:02Z");
    ck_assert_str_eq(answer_text(told, "/properties/provisioningStateTransitionTime"),
                     answer_text(poll(first), "/startTime"));
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
        ck_assert_error(ask(writes[i].method, writes[i].below, writes[i].body), 409, "Conflict");
    restart();
    ck_assert_str_eq(ask(HTTP_GET, WORKSPACE, NULL).text, told.text);
    const Answer second = ask(HTTP_DELETE, WORKSPACE, NULL);
    ck_assert_status(second, 202);
    ck_assert_str_eq(answer_text(poll(second), "/status"), "InProgress");
    pass(1000);
    ck_assert_error(ask(HTTP_GET, WORKSPACE, NULL), 404, "WorkspaceNotFound");
    ck_assert_status(ask(HTTP_DELETE, WORKSPACE, NULL), 204);
    ck_assert_str_eq(answer_text(poll(second), "/endTime"), answer_text(poll(first), "/endTime"));
    ck_assert_status(ask(HTTP_PUT, WORKSPACE, "{\"location\": \"westus2\"}"), 200);
    ck_assert_str_eq(ask(HTTP_GET, WORKSPACE "/clusters", NULL).text, "{\"value\":[]}");
    ck_assert_str_eq(answer_text(poll(second), "/status"), "Succeeded");
}
END_TEST

START_TEST(an_empty_workspace_is_gone_after_its_own_time)
{
    // 3.49 s, as recorded.
    const Answer gone = ask(HTTP_DELETE, WORKSPACE, NULL);
    pass(3);
    ck_assert(!client.emulator->pace.is_polled);
    ck_assert_str_eq(state_of(WORKSPACE), "deleting");
    ck_assert(client.emulator->pace.is_polled);
    pass(1);
    ck_assert_error(ask(HTTP_GET, WORKSPACE, NULL), 404, "WorkspaceNotFound");
    ck_assert_str_eq(answer_text(poll(gone), "/startTime"), "2018-06-06T21:06:02Z");
    ck_assert_str_eq(answer_text(poll(gone), "/endTime"), "2018-06-06T21:06:05.49Z");
}
END_TEST

START_TEST(a_creation_that_was_overtaken_is_canceled)
{
    const Answer asked = ask(HTTP_PUT, CLUSTER, cluster_body);
    const Answer gone = ask(HTTP_DELETE, CLUSTER, NULL);
    ck_assert_status(gone, 202);
    ck_assert_str_eq(answer_text(poll(asked), "/status"), "Canceled");
    ck_assert_error(client_ask(client, HTTP_GET, path_of(asked, "Location"), NULL), 409,
                    "OperationCanceled");
    ck_assert_str_eq(answer_text(ask(HTTP_GET, CLUSTER, NULL), "/properties/provisioningState"),
                     "deleting");
    pass(1000);
    ck_assert_str_eq(answer_text(poll(gone), "/status"), "Succeeded");
    ck_assert_error(ask(HTTP_GET, CLUSTER, NULL), 404, "ClusterNotFound");
}
END_TEST

/* --- Lists --- */

START_TEST(lists_come_in_pages)
{
    for (int i = 0; i < 5; i++)
        ck_assert_status(ask(HTTP_PUT, arena_printf(arena, WORKSPACE "/experiments/e%d", i), NULL),
                         200);
    const char *next = CLIENT_SUBSCRIPTION WORKSPACE "/experiments?maxresults=2";
    int seen = 0;
    while (*next != '\0') {
        const Answer page = client_ask(client, HTTP_GET, next, NULL);
        ck_assert_status(page, 200);
        const Json *list = json_member(page.body, "value");
        for (const Json *item = list->first; item; item = item->next)
            ck_assert_str_eq(json_member(item, "name")->text, arena_printf(arena, "e%d", seen++));
        next = answer_text(page, "/nextLink");
        next += *next ? strlen("https://127.0.0.1:8443") : 0;
    }
    ck_assert_int_eq(seen, 5);
    ck_assert_error(ask(HTTP_GET, WORKSPACE "/experiments?maxresults=0", NULL), 400,
                    "InvalidParameter");
    ck_assert_error(ask(HTTP_GET, "/resourceGroups/x/providers/Microsoft.BatchAI/workspaces", NULL),
                    404, "ResourceGroupNotFound");
    const Answer all = ask(HTTP_GET, "/providers/Microsoft.BatchAI/workspaces", NULL);
    ck_assert_int_eq(json_member(all.body, "value")->count, 1);
    const Answer of_group = ask(HTTP_GET, GROUP "/providers/Microsoft.BatchAI/workspaces", NULL);
    ck_assert_str_eq(of_group.text, all.text);
    ck_assert_int_eq(json_member(ask(HTTP_GET, WORKSPACE "/clusters", NULL).body, "value")->count,
                     0);
    ck_assert_int_eq(
        json_member(ask(HTTP_GET, WORKSPACE "/fileServers", NULL).body, "value")->count, 0);
}
END_TEST

START_TEST(a_quota_that_is_used_up_leaves_a_cluster_steady_and_short)
{
    Problems problems = problems_create(arena);
    const char *const text = "{\"do\": \"quota.change\", \"family\": \"total\", \"vcpus\": 1}";
    const Json *fault = json_parse(arena, "fault", text, strlen(text), JSON_STRICT, &problems);
    ck_assert(session_command(client.emulator->session, fault, NULL, &problems));
    make_cluster();
    const Answer answer = ask(HTTP_GET, CLUSTER, NULL);
    ck_assert_str_eq(answer_text(answer, "/properties/allocationState"), "steady");
    ck_assert_int_eq(json_find(answer.body, "/properties/currentNodeCount")->integer, 1);
    ck_assert_str_eq(answer_text(answer, "/properties/errors/0/code"), "AccountCoreQuotaReached");
    const Answer usages =
        ask(HTTP_GET, "/providers/Microsoft.BatchAI/locations/northeurope/usages", NULL);
    ck_assert_int_eq(json_find(usages.body, "/value/1/limit")->integer, 1);
    ck_assert_int_eq(json_find(usages.body, "/value/1/currentValue")->integer, 1);
}
END_TEST

START_TEST(one_cluster_more_than_the_quota_is_refused_in_the_services_words)
{
    enum { QUOTA = 20 };
    const char *body =
        with_change(arena, cluster_body, "targetNodeCount\": 2", "targetNodeCount\": 0");
    for (int i = 0; i < QUOTA; i++)
        ck_assert_status(ask(HTTP_PUT, arena_printf(arena, WORKSPACE "/clusters/c%d", i), body),
                         202);
    const Answer answer = ask(HTTP_PUT, CLUSTER, body);
    ck_assert_error(answer, 409, "ClusterQuotaReached");
    ck_assert_str_eq(answer_text(answer, "/error/message"),
                     "Operation results in exceeding quota limits of Microsoft.BatchAI/clusters. "
                     "Maximum allowed: 20, Current in use: 20. Please contact support to increase "
                     "the quota for resource type Microsoft.BatchAI/clusters");
}
END_TEST

START_TEST(usages_are_the_services_seventeen)
{
    make_cluster();
    const Answer answer =
        ask(HTTP_GET, "/providers/Microsoft.BatchAI/locations/northeurope/usages", NULL);
    ck_assert_int_eq(json_member(answer.body, "value")->count, 17);
    ck_assert_str_eq(answer_text(answer, "/value/0/name/value"), "Clusters");
    ck_assert_int_eq(json_find(answer.body, "/value/0/currentValue")->integer, 1);
    ck_assert_int_eq(json_find(answer.body, "/value/0/limit")->integer, 20);
    ck_assert_str_eq(answer_text(answer, "/value/2/name/value"),
                     "Standard D Family Cluster Dedicated vCPUs");
    ck_assert_int_eq(json_find(answer.body, "/value/2/currentValue")->integer, 2);
    ck_assert_str_eq(answer_text(answer, "/value/9/name/value"),
                     "Total Cluster LowPriority Regional vCPUs");
    ck_assert_str_eq(answer_text(answer, "/value/9/name/localizedValue"),
                     "Total Cluster Low Priority Regional vCPUs");
    const Answer rights =
        client_ask(client, HTTP_GET, "/providers/Microsoft.BatchAI/operations", NULL);
    ck_assert_int_eq(json_member(rights.body, "value")->count, 26);
    for (const Json *right = json_member(rights.body, "value")->first; right; right = right->next)
        ck_assert_int_eq(json_member(right, "properties")->kind, JSON_NULL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("batchai");
    TCase *tests = tcase_create("batchai");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_workspace_is_there_at_once_and_keeps_its_birthday);
    tcase_add_test(tests, the_topmost_missing_parent_is_named);
    tcase_add_test(tests, names_keep_the_letters_that_they_were_first_written_with);
    tcase_add_test(tests, the_body_of_an_experiment_says_nothing_but_is_json);
    tcase_add_test(tests, names_are_checked);
    tcase_add_test(tests, a_cluster_is_returned_without_secrets_in_the_order_of_the_service);
    tcase_add_test(tests, a_cluster_is_polled_while_it_is_not_settled);
    tcase_add_test(tests, a_client_may_wait_for_automatic_scaling);
    tcase_add_test(tests, a_resize_answers_with_the_new_settings_and_the_old_states);
    tcase_add_test(tests, bad_bodies_are_refused_by_their_place);
    tcase_add_test(tests, all_problems_of_a_request_are_in_the_details);
    tcase_add_test(tests, properties_are_an_object);
    tcase_add_test(tests, the_same_put_again_is_fine_and_another_is_not);
    tcase_add_test(tests, a_put_that_says_the_same_in_other_words_is_the_same);
    tcase_add_test(tests, a_cluster_is_in_the_network_of_the_file_server_that_it_mounts);
    tcase_add_test(tests, values_that_a_request_leaves_out_are_returned_in_their_place);
    tcase_add_test(tests, a_returned_body_may_be_sent_back);
    tcase_add_test(tests, a_returned_body_creates_an_equal_resource);
    tcase_add_test(tests, unknown_properties_are_refused);
    tcase_add_test(tests, a_client_that_polls_a_creation_gets_a_retry_time);
    tcase_add_test(tests, a_cluster_without_scale_settings_has_no_nodes);
    tcase_add_test(tests, a_cluster_without_nodes_is_steady_when_it_has_been_made);
    tcase_add_test(tests, a_resource_being_deleted_can_be_deleted_again_but_not_created);
    tcase_add_test(tests, a_job_runs_and_says_how_it_ended);
    tcase_add_test(tests, a_job_needs_a_cluster_that_is_there);
    tcase_add_test(tests, a_cluster_that_is_being_deleted_takes_no_more_jobs);
    tcase_add_test(tests, a_job_may_run_in_another_workspace);
    tcase_add_test(tests, a_terminated_job_says_so);
    tcase_add_test(tests, a_container_that_is_not_there_is_no_file_share);
    tcase_add_test(tests, a_share_that_is_not_there_is_found_missing_by_nodes_and_jobs);
    tcase_add_test(tests, a_job_that_took_too_long_ends_with_a_code);
    tcase_add_test(tests, output_may_go_where_no_share_is_mounted);
    tcase_add_test(tests, a_command_may_use_undeclared_variables);
    tcase_add_test(tests, a_secret_has_a_value_or_a_place);
    tcase_add_test(tests, a_command_prints_the_value_of_a_secret_and_nothing_else_has_it);
    tcase_add_test(tests, variables_have_names);
    tcase_add_test(tests, output_does_not_climb_out_of_its_mount);
    tcase_add_test(tests, jobs_and_experiments_are_deleted);
    tcase_add_test(tests, deletions_and_terminations_take_as_long_as_recorded);
    tcase_add_test(tests, a_job_has_nodes_while_it_runs);
    tcase_add_test(tests, results_up_to_an_answer_of_the_clock_are_stored_at_once);
    tcase_add_test(tests, a_job_that_was_stopped_in_the_queue_never_ran_to_its_end);
    tcase_add_test(tests, a_drained_node_is_running_then_unusable_then_idle);
    tcase_add_test(tests, with_a_running_clock_the_end_of_a_job_is_reported_a_little_late);
    tcase_add_test(tests, output_files_are_listed_with_addresses);
    tcase_add_test(tests, output_in_a_container_is_listed_as_blobs);
    tcase_add_test(tests, a_container_and_a_share_of_one_name_are_two);
    tcase_add_test(tests, a_container_of_an_earlier_version_is_the_share_of_its_name);
    tcase_add_test(tests, a_set_up_task_logs_where_the_cluster_says);
    tcase_add_test(tests, a_file_server_takes_its_time_and_is_mountable_then);
    tcase_add_test(tests, a_file_server_is_mounted_by_its_id);
    tcase_add_test(tests, file_servers_of_two_workspaces_are_two);
    tcase_add_test(tests, an_operation_reports_its_start_and_its_end);
    tcase_add_test(tests, an_unknown_number_is_not_an_operation);
    tcase_add_test(tests, the_content_of_a_container_is_deleted_with_it);
    tcase_add_test(tests, a_workspace_that_is_being_deleted_takes_nothing_until_it_is_gone);
    tcase_add_test(tests, an_empty_workspace_is_gone_after_its_own_time);
    tcase_add_test(tests, a_creation_that_was_overtaken_is_canceled);
    tcase_add_test(tests, lists_come_in_pages);
    tcase_add_test(tests, a_quota_that_is_used_up_leaves_a_cluster_steady_and_short);
    tcase_add_test(tests, one_cluster_more_than_the_quota_is_refused_in_the_services_words);
    tcase_add_test(tests, usages_are_the_services_seventeen);
    suite_add_tcase(suite, tests);
    return suite;
}

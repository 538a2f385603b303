/* Shares, wires and file servers in scenarios, which several jobs use. */
#include <string.h>

#include "sim/base/units.h"
#include "sim/cloud/storage/share.h"
#include "tests/support/small_scenario_fixture.h"
#include "tests/support/suite.h"

#define MIB (INT64_C(1) << 20)

static ScenarioFile *read_scenario(Problems *problems)
{
    *problems = problems_create(arena);
    return scenario_read(arena, memory_files_source(&files), "scenario.json",
                         (ScenarioOverrides){0}, problems);
}

static const Scenario *sound(void)
{
    Problems problems;
    ScenarioFile *file = read_scenario(&problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return &file->scenario;
}

static void assert_problem(const char *message, const char *hint)
{
    Problems problems;
    ck_assert_ptr_null(read_scenario(&problems));
    ck_assert_msg(strstr(problems.items[0].message, message) != NULL, "%s",
                  problems.items[0].message);
    ck_assert_msg(strstr(problems.items[0].hint, hint) != NULL, "%s", problems.items[0].hint);
    ck_assert_int_eq(problems.count, 1); // without problems that only follow from it
}

static void change(const char *path, const char *text, const char *old, const char *new)
{
    const char *changed = with_change(arena, text, old, new);
    memory_files_set(&files, path, changed, strlen(changed));
}

static void change_scenario(const char *old, const char *new)
{
    change("scenario.json", small_scenario_text, old, new);
}

static const Command *command_of(const Scenario *scenario, CommandKind kind)
{
    for (int32_t i = 0; i < scenario->command_count; i++)
        if (scenario->commands[i].kind == kind)
            return &scenario->commands[i];
    ck_abort_msg("no %s", command_name(kind));
    return NULL;
}

/* --- Shares --- */

static const ShareTier *tier_with(const char *members)
{
    change_scenario("{\"name\": \"data\", ",
                    arena_printf(arena, "{\"name\": \"data\", %s", members));
    return command_of(sound(), COMMAND_SHARE_CREATE)->as.share_create.tier;
}

START_TEST(a_premium_share_is_as_fast_as_its_size)
{
    // 10 TiB: 400 + 10240 requests per second; 60 + 614.4 MiB/s out, 40 + 409.6 in.
    const ShareTier *tier = tier_with("\"tier\": \"premium\", \"provisioned\": \"10TiB\", ");
    ck_assert_str_eq(tier->name, "premium");
    ck_assert_int_eq(tier->requests_per_s, 10640);
    ck_assert_int_eq(tier->read_bytes_per_s / MIB, 674);
    ck_assert_int_eq(tier->write_bytes_per_s / MIB, 449);
    ck_assert(tier->is_paid_by_size);
    ck_assert_int_eq(tier->provisioned_bytes / MIB, 10 * 1024 * 1024);
    // Without a size the size of the catalogue applies: 1 TiB.
    tier = tier_with("\"tier\": \"premium\", ");
    ck_assert_int_eq(tier->requests_per_s, 1424);
    ck_assert_int_eq(tier->read_bytes_per_s / MIB, 121);
    // A share has at most 100,000 requests per second.
    tier = tier_with("\"tier\": \"premium\", \"provisioned\": \"100TiB\", ");
    ck_assert_int_eq(tier->requests_per_s, 100000);
}
END_TEST

START_TEST(bursts_of_requests_would_make_no_premium_share_faster)
{
    // With requests of 1 MiB the limit of bytes is reached first, whatever the size: three times as
    // many requests per second change no transfer.
    for (int64_t gib = 100; gib <= 100 * 1024; gib = gib * 5 / 4) {
        const ShareTier *tier = tier_with(
            arena_printf(arena, "\"tier\": \"premium\", \"provisioned\": \"%dGiB\", ", (int)gib));
        ShareTier bursting = *tier;
        bursting.requests_per_s *= 3;
        ck_assert_int_eq(share_work_ns(tier, TRANSFER_READ, 1000 * MIB),
                         share_work_ns(&bursting, TRANSFER_READ, 1000 * MIB));
        ck_assert_int_eq(share_work_ns(tier, TRANSFER_WRITE, 1000 * MIB),
                         share_work_ns(&bursting, TRANSFER_WRITE, 1000 * MIB));
    }
}
END_TEST

START_TEST(standard_shares_have_their_published_limits)
{
    const ShareTier *tier = tier_with("");
    ck_assert_str_eq(tier->name, "standard");
    ck_assert_int_eq(tier->read_bytes_per_s, 60 * MIB);
    ck_assert_int_eq(tier->write_bytes_per_s, 60 * MIB);
    ck_assert_int_eq(tier->requests_per_s, 1000);
    ck_assert(!tier->is_paid_by_size);
    // Large file shares: five files at their 60 MiB/s make the share's 300. Alone a file of 600
    // MiB takes 10 s and 75 rounds of 8 requests of 10 ms.
    tier = tier_with("\"tier\": \"standard-large\", ");
    ck_assert_int_eq(share_work_ns(tier, TRANSFER_READ, 600 * MIB), 2 * NS_PER_S);
    ck_assert_int_eq(share_alone_ns(tier, TRANSFER_READ, 600 * MIB, 1, 1, INT64_C(1) << 40),
                     10 * NS_PER_S + 75 * 10 * NS_PER_MS);
}
END_TEST

START_TEST(a_size_without_effect_is_refused)
{
    change_scenario("{\"name\": \"data\", ", "{\"name\": \"data\", \"provisioned\": \"1TiB\", ");
    assert_problem("the limits of tier \"standard\" do not depend on a provisioned size",
                   "\"premium\" do");
    change_scenario("{\"name\": \"data\", ",
                    "{\"name\": \"data\", \"tier\": \"premium\", \"provisioned\": \"0B\", ");
    assert_problem("provisioned is 0 bytes", "");
    change_scenario("{\"name\": \"data\", ",
                    "{\"name\": \"data\", \"tier\": \"premium\", \"provisioned\": \"big\", ");
    assert_problem("big", "");
}
END_TEST

/* --- The network --- */

static void set_network(const char *network)
{
    change_scenario("  \"programs\"",
                    arena_printf(arena, "  \"network\": %s,\n  \"programs\"", network));
}

START_TEST(a_network_has_racks_and_an_uplink_rate)
{
    ck_assert_int_eq(sound()->network.nodes_per_rack, 0);
    set_network("{\"rack_nodes\": 4, \"rack_uplink_rate\": \"10Gbit/s\"}");
    const Scenario *scenario = sound();
    ck_assert_int_eq(scenario->network.nodes_per_rack, 4);
    ck_assert_int_eq(scenario->network.uplink_bytes_per_s, INT64_C(1250000000));
}
END_TEST

START_TEST(an_incomplete_network_is_refused)
{
    static const struct {
        const char *network, *message;
    } rows[] = {
        {"{\"rack_nodes\": 4}", "rack_uplink_rate"},
        {"{\"rack_uplink_rate\": \"1Gbit/s\"}", "rack_nodes"},
        {"{\"rack_nodes\": 0, \"rack_uplink_rate\": \"1Gbit/s\"}", "rack_nodes is 0"},
        {"{\"rack_nodes\": 4, \"rack_uplink_rate\": \"1Gbit\"}", "\"1Gbit\""},
        {"{\"rack_nodes\": 4, \"rack_uplink_rate\": 1}", "rack_uplink_rate"},
        {"{\"rack_nodes\": 4, \"rack_uplink_rate\": \"3B/s\"}", "less than one byte per second"},
        {"{\"rack_nodes\": 4, \"rack_uplink_rate\": \"1Gbit/s\", \"racks\": 1}", "racks"},
        {"4", "network"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        set_network(rows[i].network);
        assert_problem(rows[i].message, "");
    }
}
END_TEST

/* --- File servers --- */

#define CREATE "{\"do\": \"fileserver.create\", \"name\": \"nfs\", \"vm_size\": \"Standard_D1\"}"
#define MOUNT(id, more)                                                                            \
    "\"mountVolumes\": {\"fileServers\": [{\"fileServer\": {\"id\": \"" id                         \
    "\"}, \"relativeMountPath\": \"nfs\"" more "}], "
#define ID "/subscriptions/s/resourceGroups/g/providers/Microsoft.BatchAI/workspaces/w/fileservers/"

static void set_commands(const char *commands)
{
    change_scenario("  \"commands\": [\n",
                    arena_printf(arena, "  \"commands\": [\n    %s,\n", commands));
}

static void set_mount(const char *mount)
{
    change("job.json", small_job_text, "\"mountVolumes\": {", mount);
}

START_TEST(a_file_server_has_a_machine_and_disks)
{
    set_commands(CREATE ", {\"do\": \"fileserver.create\", \"name\": \"fast\", \"vm_size\": "
                        "\"standard_nc6\", \"tier\": \"premium\", \"at\": \"1m\"},"
                        "{\"do\": \"fileserver.delete\", \"name\": \"nfs\", \"at\": \"1h\"}");
    const Scenario *scenario = sound();
    const Command *create = command_of(scenario, COMMAND_FILE_SERVER_CREATE);
    ck_assert_str_eq(create->path.group, "batchai");
    ck_assert_str_eq(create->path.workspace, "workspace");
    ck_assert_ptr_null(create->path.experiment);
    ck_assert_str_eq(create->as.file_server_create.vm_size->name, "Standard_D1");
    ck_assert_str_eq(create->as.file_server_create.tier->name, "nfs");
    ck_assert_str_eq(create[1].as.file_server_create.tier->name, "premium");
    ck_assert_int_eq(create[1].as.file_server_create.tier->requests_per_s, 1424);
    ck_assert_str_eq(command_of(scenario, COMMAND_FILE_SERVER_DELETE)->path.name, "nfs");
}
END_TEST

START_TEST(paths_lead_to_the_mounted_file_server)
{
    set_commands(CREATE);
    set_mount(MOUNT(ID "nfs", ", \"sourceDirectory\": \"/results/\""));
    const char *job = with_change(arena, small_job_text, "\"mountVolumes\": {",
                                  MOUNT(ID "nfs", ", \"sourceDirectory\": \"/results/\""));
    job = with_change(arena, job, "$AZ_BATCHAI_JOB_MOUNT_ROOT/data/logs",
                      "$AZ_BATCHAI_JOB_MOUNT_ROOT/nfs/logs");
    memory_files_set(&files, "job.json", job, strlen(job));
    const JobSpec *spec = command_of(sound(), COMMAND_JOB_CREATE)->as.job_create.spec;
    ck_assert_str_eq(spec->std_out_err.share, "fileserver/nfs");
    ck_assert_ptr_nonnull(strstr(spec->std_out_err.directory, "results/logs"));
    ck_assert_int_eq(spec->mount_count, 2);
    ck_assert_str_eq(spec->mounts[0], "acc/data");
    ck_assert_str_eq(spec->mounts[1], "fileserver/nfs");
}
END_TEST

START_TEST(two_workspaces_have_separate_servers)
{
    set_commands(CREATE ", {\"do\": \"fileserver.create\", \"name\": \"nfs\", \"vm_size\": "
                        "\"Standard_D1\", \"workspace\": \"W\", \"resource_group\": \"g\"},"
                        "{\"do\": \"fileserver.create\", \"name\": \"far\", \"vm_size\": "
                        "\"Standard_D1\", \"workspace\": \"w\"}");
    const Command *create = command_of(sound(), COMMAND_FILE_SERVER_CREATE);
    ck_assert_str_eq(create[0].as.file_server_create.share, "fileserver/nfs");
    ck_assert_str_eq(create[1].as.file_server_create.share, "fileserver/g/W/nfs");
    ck_assert_str_eq(create[2].as.file_server_create.share, "fileserver/batchai/w/far");
    static const struct {
        const char *mount, *share;
    } rows[] = {
        {MOUNT("/fileservers/nfs", ""), "fileserver/nfs"},
        {MOUNT(ID "nfs", ""), "fileserver/g/W/nfs"},
        {MOUNT(ID "far", ""), "fileserver/batchai/w/far"}, // only one server has that name
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        set_mount(rows[i].mount);
        const JobSpec *spec = command_of(sound(), COMMAND_JOB_CREATE)->as.job_create.spec;
        ck_assert_str_eq(spec->mounts[1], rows[i].share);
    }
}
END_TEST

START_TEST(a_cluster_mounts_a_file_server_for_all_its_jobs)
{
    set_commands(CREATE);
    change(
        "cluster.json", small_cluster_text, "{\"properties\": {\n",
        "{\"properties\": {\n  \"nodeSetup\": {" MOUNT(ID "nfs", "") "\"azureFileShares\": []}},");
    const ClusterSpec *spec = command_of(sound(), COMMAND_CLUSTER_CREATE)->as.cluster_create;
    ck_assert_int_eq(spec->mount_count, 1);
    ck_assert_str_eq(spec->mounts[0], "fileserver/nfs");
}
END_TEST

START_TEST(mistakes_about_file_servers_are_named)
{
    set_commands(CREATE);
    set_mount(MOUNT(ID "nsf", ""));
    assert_problem("unknown file server \"fileserver/nsf\"", "fileserver/nfs");
    set_mount(MOUNT("nfs", ""));
    assert_problem("id \"nfs\" does not name a file server", "fileservers/NAME");
    set_mount(MOUNT(ID, ""));
    assert_problem("does not name a file server", "fileservers/NAME");
    set_mount(MOUNT("/fileservers/nfs", "")); // short, but clear
    sound();
    set_mount(MOUNT(ID "nfs", ", \"sourceDirectory\": \"../etc\""));
    assert_problem("sourceDirectory \"../etc\" leads out", "");
    memory_files_set(&files, "job.json", small_job_text, strlen(small_job_text));
    set_commands(
        "{\"do\": \"fileserver.create\", \"name\": \"nfs\", \"vm_size\": \"Standard_D0\"}");
    assert_problem("unknown VM size \"Standard_D0\"", "Standard_D1");
    set_commands("{\"do\": \"fileserver.create\", \"name\": \"nfs\"}");
    assert_problem("fileserver.create needs \"vm_size\"", "");
    set_commands(
        "{\"do\": \"fileserver.create\", \"name\": \"n/s\", \"vm_size\": \"Standard_D1\"}");
    assert_problem("name \"n/s\" has a '/'", "");
    set_commands("{\"do\": \"fileserver.create\", \"name\": \"nfs\", \"vm_size\": \"Standard_D1\", "
                 "\"tier\": \"nsf\"}");
    assert_problem("unknown share tier \"nsf\"", "nfs");
    set_commands(CREATE ", {\"do\": \"fileserver.delete\", \"name\": \"nsf\"}");
    assert_problem("unknown file server \"nsf\"", "nfs");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("contention");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_premium_share_is_as_fast_as_its_size);
    tcase_add_test(tests, bursts_of_requests_would_make_no_premium_share_faster);
    tcase_add_test(tests, standard_shares_have_their_published_limits);
    tcase_add_test(tests, a_size_without_effect_is_refused);
    tcase_add_test(tests, a_network_has_racks_and_an_uplink_rate);
    tcase_add_test(tests, an_incomplete_network_is_refused);
    tcase_add_test(tests, a_file_server_has_a_machine_and_disks);
    tcase_add_test(tests, paths_lead_to_the_mounted_file_server);
    tcase_add_test(tests, two_workspaces_have_separate_servers);
    tcase_add_test(tests, a_cluster_mounts_a_file_server_for_all_its_jobs);
    tcase_add_test(tests, mistakes_about_file_servers_are_named);
    suite_add_tcase(suite, tests);
    return suite;
}

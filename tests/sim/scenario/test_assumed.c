/* Quotas and other values of the catalogue that a scenario states itself. */
#include "sim/scenario/assumed.h"

#include <string.h>

#include "tests/support/small_scenario_fixture.h"
#include "tests/support/suite.h"

static ScenarioFile *read_with(const char *members, Problems *problems)
{
    const char *text = with_change(arena, small_scenario_text, "\"trainyard\": 1,",
                                   arena_printf(arena, "\"trainyard\": 1, %s,", members));
    memory_files_set(&files, "scenario.json", text, strlen(text));
    *problems = problems_create(arena);
    return scenario_read(arena, memory_files_source(&files), "scenario.json",
                         (ScenarioOverrides){.explains = true}, problems);
}

static const ScenarioFile *sound(const char *members)
{
    Problems problems;
    const ScenarioFile *file = read_with(members, &problems);
    ck_assert_msg(file != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return file;
}

static CoreQuota quota_of(const ScenarioFile *file, const char *family)
{
    for (int32_t i = 0; i < file->scenario.quota_count; i++)
        if (strcmp(file->scenario.quotas[i].family, family) == 0)
            return file->scenario.quotas[i];
    ck_abort_msg("no quota %s", family);
    return (CoreQuota){0};
}

START_TEST(quotas_replace_those_of_the_catalogue)
{
    const ScenarioFile *file =
        sound("\"quotas\": {\"NC\": 96, \"total\": {\"dedicated\": 200, \"low_priority\": 0}, "
              "\"D\": \"unlimited\", \"NCv2\": {\"low_priority\": 5}}");
    ck_assert_int_eq(quota_of(file, "NC").dedicated_vcpus, 96);
    ck_assert_int_eq(quota_of(file, "NC").low_priority_vcpus, 96);
    ck_assert_int_eq(quota_of(file, "total").dedicated_vcpus, 200);
    ck_assert_int_eq(quota_of(file, "total").low_priority_vcpus, 0);
    ck_assert_int_eq(quota_of(file, "D").dedicated_vcpus, 1000000000);
    ck_assert_int_eq(quota_of(file, "NCv2").low_priority_vcpus, 5);
    ck_assert_int_eq(quota_of(file, "NCv2").dedicated_vcpus, 0); // the catalogue's
    ck_assert_int_eq(quota_of(file, "Dv2").dedicated_vcpus, 24);
}
END_TEST

START_TEST(unlimited_quotas_are_no_limit_for_any_family)
{
    const ScenarioFile *file = sound("\"quotas\": \"unlimited\"");
    ck_assert_int_gt(file->scenario.quota_count, 1);
    for (int32_t i = 0; i < file->scenario.quota_count; i++) {
        ck_assert_int_eq(file->scenario.quotas[i].dedicated_vcpus, 1000000000);
        ck_assert_int_eq(file->scenario.quotas[i].low_priority_vcpus, 1000000000);
    }
}
END_TEST

START_TEST(a_value_of_the_catalogue_can_be_replaced_and_is_explained)
{
    const ScenarioFile *file =
        sound("\"parameters\": {\"price\": {\"value\": \"0.80USD\", \"type\": \"money\"}}, "
              "\"assume\": {\"vm_sizes/Standard_NC6/dedicated_price_per_hour\": \"${price}\", "
              "\"service/nodes_per_cluster\": 1000}");
    const VmSize *size = NULL;
    for (int32_t i = 0; i < file->scenario.command_count; i++)
        if (file->scenario.commands[i].kind == COMMAND_CLUSTER_CREATE)
            size = file->scenario.commands[i].as.cluster_create->vm_size;
    ck_assert_int_eq(size->dedicated_micro_usd_per_hour, 800000);
    ck_assert_int_eq(size->low_priority_micro_usd_per_hour, 180000);
    const char *found = NULL;
    for (int32_t i = 0; i < file->explanation.count; i++)
        if (strcmp(file->explanation.values[i].name, "service/nodes_per_cluster") == 0)
            found = file->explanation.values[i].origin;
    ck_assert_ptr_nonnull(found);
    ck_assert_ptr_nonnull(strstr(found, "scenario.json:2:"));
    ck_assert_ptr_nonnull(strstr(found, "ASSUMED, the scenario"));
}
END_TEST

START_TEST(mistakes_have_a_place_and_a_hint)
{
    static const struct {
        const char *members, *expected;
    } rows[] = {
        {"\"quotas\": 5", "quotas are neither \"unlimited\" nor an object"},
        {"\"quotas\": \"none\"", "quotas are neither \"unlimited\" nor an object"},
        {"\"quotas\": {\"NCC\": 5}", "unknown family of VM sizes \"NCC\"; did you mean \"NC\"?"},
        {"\"quotas\": {\"cores\": 5}", "known: NC, NCv2, NCv3, "},
        {"\"quotas\": {\"NC\": -5}", "the quota of NC is not a number of cores from 0"},
        {"\"quotas\": {\"NC\": \"many\"}", "the quota of NC is not a number of cores from 0"},
        {"\"quotas\": {\"NC\": {\"dedicated\": -1}}", "dedicated is -1, expected 0 to"},
        {"\"quotas\": {\"NC\": {\"dedicate\": 1}}", "unknown key \"dedicate\""},
        {"\"assume\": 5", "assume is a number, expected an object"},
        {"\"assume\": {\"vcpus\": 5}", "\"vcpus\" is not a value of the catalogue; as in"},
        {"\"assume\": {\"VM_SIZES/Standard_NC6/vcpus\": 5}", "unknown section of the catalogue"},
        {"\"assume\": {\"vm_sizes/Standard_NC7/vcpus\": 5}", "unknown vm_sizes \"Standard_NC7\""},
        {"\"assume\": {\"vm_sizes/Standard_NC6/vcpu\": 5}",
         "vm_sizes/Standard_NC6 has no \"vcpu\""},
        {"\"assume\": {\"vm_sizes/vcpus\": 5}", "expected vm_sizes/NAME/VALUE"},
        {"\"assume\": {\"service/x/y\": 5}", "expected service/VALUE"},
        {"\"assume\": {\"vm_sizes/Standard_NC6/vcpus\": \"x\"}", "expected a whole number"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Problems problems;
        ck_assert_ptr_null(read_with(rows[i].members, &problems));
        ck_assert_msg(problems.count == 1, "%s: %d problems", rows[i].members, problems.count);
        const char *got =
            arena_printf(arena, "%s; %s", problems.items[0].message, problems.items[0].hint);
        ck_assert_msg(strstr(got, rows[i].expected) != NULL, "%s: %s", rows[i].members, got);
        ck_assert_int_eq(problems.items[0].at.line, 2);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("assumed");
    TCase *tests = tcase_create("assumed");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, quotas_replace_those_of_the_catalogue);
    tcase_add_test(tests, unlimited_quotas_are_no_limit_for_any_family);
    tcase_add_test(tests, a_value_of_the_catalogue_can_be_replaced_and_is_explained);
    tcase_add_test(tests, mistakes_have_a_place_and_a_hint);
    suite_add_tcase(suite, tests);
    return suite;
}

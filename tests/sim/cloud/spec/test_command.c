#include <string.h>

#include "sim/cloud/spec/command.h"
#include "tests/support/suite.h"

START_TEST(a_command_is_about_what_a_command_of_its_noun_creates)
{
    static const struct {
        CommandKind kind, made_by;
    } rows[] = {
        {COMMAND_CLUSTER_CREATE, COMMAND_CLUSTER_CREATE},
        {COMMAND_CLUSTER_AUTOSCALE, COMMAND_CLUSTER_CREATE},
        {COMMAND_JOB_RAN, COMMAND_JOB_CREATE},
        {COMMAND_FILE_SERVER_DELETE, COMMAND_FILE_SERVER_CREATE},
        {COMMAND_STORAGE_DELETE, COMMAND_STORAGE_CREATE},
        {COMMAND_FILE_UPLOAD, COMMAND_KIND_COUNT}, // "file" is not "fileserver"
        {COMMAND_USAGES_SHOW, COMMAND_KIND_COUNT},
        {COMMAND_GROUP_CRASH, COMMAND_KIND_COUNT}, // a fault, of another kind of group
        {COMMAND_JOB_EXIT, COMMAND_KIND_COUNT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_int_eq(command_made_by(rows[i].kind), rows[i].made_by);
}
END_TEST

START_TEST(every_resource_has_a_noun)
{
    for (int kind = 0; kind < (int)COMMAND_KIND_COUNT; kind++)
        if (command_made_by((CommandKind)kind) == (CommandKind)kind)
            ck_assert_msg(resource_noun((CommandKind)kind) != NULL, "%s",
                          command_name((CommandKind)kind));
    ck_assert_str_eq(resource_noun(COMMAND_FILE_SERVER_CREATE), "file server");
}
END_TEST

START_TEST(a_quantity_has_the_noun_of_its_subject)
{
    for (int quantity = 0; quantity < (int)QUANTITY_COUNT; quantity++)
        ck_assert_str_eq(quantity_noun((Quantity)quantity),
                         resource_noun(quantity_made_by((Quantity)quantity)));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("command");
    TCase *cases = tcase_create("command");
    tcase_add_test(cases, a_command_is_about_what_a_command_of_its_noun_creates);
    tcase_add_test(cases, every_resource_has_a_noun);
    tcase_add_test(cases, a_quantity_has_the_noun_of_its_subject);
    suite_add_tcase(suite, cases);
    return suite;
}

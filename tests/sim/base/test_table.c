#include "sim/base/table.h"
#include "tests/support/suite.h"

static const TableColumn cluster_columns[] = {
    {"Name", TABLE_TEXT},       {"Resource Group", TABLE_TEXT}, {"Workspace", TABLE_TEXT},
    {"VM Size", TABLE_TEXT},    {"State", TABLE_TEXT},          {"Idle", TABLE_NUMBER},
    {"Running", TABLE_NUMBER},  {"Preparing", TABLE_NUMBER},    {"Leaving", TABLE_NUMBER},
    {"Unusable", TABLE_NUMBER},
};

static const char *const cluster_row[] = {
    "nc6cluster", "batchai.horovod", "batchaidev", "STANDARD_NC6", "steady", "4", "0", "0", "0",
    "0"};

// The tutorial's table, printed by `az batchai cluster show --output table`.
static const char cluster_table[] = "Name        Resource Group    Workspace    VM Size       "
                                    "State      Idle    Running    Preparing    "
                                    "Leaving    Unusable\n"
                                    "----------  ----------------  -----------  ------------  "
                                    "-------  ------  ---------  -----------  "
                                    "---------  ----------\n"
                                    "nc6cluster  batchai.horovod   batchaidev   STANDARD_NC6  "
                                    "steady        4          0            0  "
                                    "        0           0\n";

START_TEST(the_cluster_table_matches_az)
{
    Arena *arena = arena_create();
    Table *table = table_create(arena, cluster_columns, 10);
    table_row(table, cluster_row);
    Text out = {0};
    table_print(table, &out);
    ck_assert_str_eq(text_string(&out), cluster_table);
    text_free(&out);
    arena_destroy(arena);
}
END_TEST

static const TableColumn two_columns[] = {{"job", TABLE_TEXT}, {"state", TABLE_TEXT}};

START_TEST(no_line_ends_in_spaces)
{
    Arena *arena = arena_create();
    Table *table = table_create(arena, two_columns, 2);
    table_row(table, (const char *const[]){"a", "queued"});
    table_row(table, (const char *const[]){"longer-name", ""});
    table_row(table, (const char *const[]){"", "x"});
    Text out = {0};
    table_print(table, &out);
    ck_assert_str_eq(text_string(&out), "job          state\n"
                                        "-----------  -------\n"
                                        "a            queued\n"
                                        "longer-name\n"
                                        "             x\n");
    text_free(&out);
    arena_destroy(arena);
}
END_TEST

START_TEST(widths_count_characters_not_bytes)
{
    Arena *arena = arena_create();
    Table *table = table_create(arena, two_columns, 2);
    table_row(table, (const char *const[]){"Zürich", "ok"}); // 7 bytes, 6 characters
    Text out = {0};
    table_print(table, &out);
    ck_assert_str_eq(text_string(&out), "job     state\n"
                                        "------  -------\n"
                                        "Zürich  ok\n");
    text_free(&out);
    arena_destroy(arena);
}
END_TEST

START_TEST(a_table_without_rows_is_its_header)
{
    Arena *arena = arena_create();
    Text out = {0};
    table_print(table_create(arena, two_columns, 2), &out);
    ck_assert_str_eq(text_string(&out), "job    state\n"
                                        "-----  -------\n");
    text_free(&out);
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("table");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_cluster_table_matches_az);
    tcase_add_test(tests, no_line_ends_in_spaces);
    tcase_add_test(tests, widths_count_characters_not_bytes);
    tcase_add_test(tests, a_table_without_rows_is_its_header);
    suite_add_tcase(suite, tests);
    return suite;
}

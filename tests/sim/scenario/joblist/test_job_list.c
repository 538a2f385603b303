#include "sim/scenario/joblist/job_list_file.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "tests/support/memory_files.h"
#include "tests/support/suite.h"

static Arena *arena;

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

static JobList read_list(const char *text)
{
    JobList list;
    Problems problems = problems_create(arena);
    const bool is_read = job_list_parse(arena, "t.csv", text, strlen(text), &list, &problems);
    ck_assert_msg(is_read, "%s", problems.count > 0 ? problems.items[0].message : "no problem");
    return list;
}

static void append(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

static char *written(const JobList *list, const JobListProvenance *provenance)
{
    Text text = {0};
    job_list_write(list, provenance, (ByteSink){&text, append});
    char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

START_TEST(four_columns_make_a_list)
{
    const JobList list = read_list("job,submit_s,run_s,gpus\n1,0,58543,1\n2,878,0.5,16\n");
    ck_assert_int_eq(list.count, 2);
    ck_assert(list.names == NULL && list.queue == NULL && list.nodes == NULL);
    ck_assert_int_eq(list.submit_ns[1], 878 * NS_PER_S);
    ck_assert_int_eq(list.run_ns[0], 58543 * NS_PER_S);
    ck_assert_int_eq(list.run_ns[1], NS_PER_S / 2);
    ck_assert_int_eq(list.gpus[1], 16);
}
END_TEST

/* All columns in another order, with comments, CR LF, blanks, quotes, empty cells and no line end
 * at the end. */
START_TEST(every_column_is_read_in_any_order)
{
    const JobList list = read_list(
        "\xef\xbb\xbf# a comment\r\n"
        "think_s,after_job,recorded_wait_s,state,requested_s,priority,user,queue,gpu_type,"
        "memory_bytes,cpus,nodes,gpus_per_node_max,gpus,run_s,submit_s,job\r\n"
        ",,,,,,,,,,,,,1,2,0,\"a, \"\"b\"\"\"\r\n"
        "\r\n"
        "1.5,\"a, \"\"b\"\"\",30,Pass,3600,7, u1 ,q1,V100,1073741824,96,2,8,16,2,0.000000001,b");
    ck_assert_int_eq(list.count, 2);
    ck_assert_str_eq(list.names[0], "a, \"b\"");
    ck_assert_str_eq(list.names[1], "b");
    ck_assert(list.think_ns[0] == JOB_LIST_UNKNOWN && list.think_ns[1] == 3 * NS_PER_S / 2);
    ck_assert(list.after_job[0] == JOB_LIST_UNKNOWN && list.after_job[1] == 0);
    ck_assert(list.recorded_wait_ns[0] == -1 && list.recorded_wait_ns[1] == 30 * NS_PER_S);
    ck_assert(list.state[0] == -1 && strcmp(list.states.texts[list.state[1]], "Pass") == 0);
    ck_assert(list.requested_ns[1] == NS_PER_HOUR && list.priority[1] == 7);
    ck_assert(list.user[0] == -1 && strcmp(list.users.texts[list.user[1]], "u1") == 0);
    ck_assert(list.queues.count == 1 && strcmp(list.queues.texts[0], "q1") == 0);
    ck_assert_str_eq(list.gpu_types.texts[list.gpu_type[1]], "V100");
    ck_assert(list.memory_bytes[0] == -1 && list.memory_bytes[1] == 1 << 30);
    ck_assert(list.cpus[1] == 96 && list.nodes[1] == 2 && list.gpus_per_node_max[1] == 8);
    ck_assert(list.nodes[0] == JOB_LIST_UNKNOWN && list.submit_ns[1] == 1);
}
END_TEST

START_TEST(numbers_of_rows_are_no_names_until_one_differs)
{
    JobList list = read_list("job,submit_s,run_s,gpus\n1,0,1,1\n2,0,1,1\n3,0,1,1\n");
    ck_assert(list.names == NULL);
    list = read_list("job,submit_s,run_s,gpus\n1,0,1,1\n2,0,1,1\n4,0,1,1\n");
    ck_assert_str_eq(list.names[1], "2");
    ck_assert_str_eq(list.names[2], "4");
    list = read_list("job,submit_s,run_s,gpus\n01,0,1,1\n");
    ck_assert_str_eq(list.names[0], "01");
}
END_TEST

START_TEST(jobs_follow_numbered_jobs)
{
    const JobList list = read_list("job,submit_s,run_s,gpus,after_job\n1,0,1,1,\n2,0,1,1,1\n");
    ck_assert(list.after_job[0] == -1 && list.after_job[1] == 0);
}
END_TEST

#define HEAD "job,submit_s,run_s,gpus,after_job,queue\n"

START_TEST(each_mistake_has_its_place)
{
    static const struct {
        const char *text;
        int32_t line, column;
        const char *message, *hint;
    } rows[] = {
        {"", 0, 0, "no header line", ""},
        {"# only a comment\n", 0, 0, "no header line", ""},
        {"job;submit_s;run_s;gpus\n", 1, 1, "have \";\" between them, expected \",\"",
         "--separator ';'"},
        {"job\tsubmit_s\n", 1, 1, "have tabs between them", "--separator '\\t'"},
        {"\xff\xfej", 1, 1, "the text is UTF-16", "save the file as UTF-8"},
        {"job,submit_s,run_s\n", 1, 1, "the column \"gpus\" is missing", "trainyard import"},
        {"job,submit_s,run_s,gpus,quue\n", 1, 25, "unknown column \"quue\"", "queue"},
        {"job,submit_s,run_s,gpus,job\n", 1, 25, "column \"job\" occurs twice", ""},
        {HEAD "1,0,1,1,\n", 2, 1, "the row has 5 cells, but the header has 6", ""},
        {HEAD "1,0,,1,,\n", 2, 5, "run_s is \"\", expected seconds from 0", ""},
        {HEAD "1,0,-1,1,,\n", 2, 5, "run_s is \"-1\"", ""},
        {HEAD "1,0,1,1.5,,\n", 2, 7, "gpus is \"1.5\", expected a whole number", "no decimals"},
        {HEAD "1,0,0.0000000001,1,,\n", 2, 5, "run_s is", "at most 9 decimals"},
        {HEAD "1,0,99999999999999,1,,\n", 2, 5, "run_s is", ""},
        {HEAD "1,0,1,2000000000,,\n", 2, 7, "from 0 to 1000000000", ""},
        {HEAD "1,5,1,1,,\n2,4,1,1,,\n", 3, 1, "before the job of the previous row", "import csv"},
        {HEAD "a,0,1,1,,\na,0,1,1,,\n", 3, 1, "the name \"a\" occurs twice",
         "its first row is job 1"},
        {HEAD ",0,1,1,,\n", 2, 1, "a job without a name", ""},
        {HEAD "1,0,1,1,2,\n2,0,1,1,,\n", 2, 9, "no earlier job is called \"2\"", "above"},
        {HEAD "1,0,1,1,1,\n", 2, 9, "no earlier job is called \"1\"", ""},
        {HEAD "1,0,1,1,,\"q\n", 2, 10, "a text without its end quote", ""},
        {HEAD "1,0,1,1,,\xff\n", 2, 10, "queue contains bytes that are not text", "UTF-8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        JobList list;
        Problems problems = problems_create(arena);
        ck_assert(
            !job_list_parse(arena, "t.csv", rows[i].text, strlen(rows[i].text), &list, &problems));
        ck_assert_msg(problems.count == 1, "row %zu: %d problems", i, problems.count);
        const Status *status = &problems.items[0];
        ck_assert_msg(strstr(status->message, rows[i].message) != NULL, "%s", status->message);
        ck_assert_msg(strstr(status->hint, rows[i].hint) != NULL, "%s", status->hint);
        ck_assert_msg(status->at.line == rows[i].line && status->at.column == rows[i].column,
                      "row %zu: %d:%d", i, status->at.line, status->at.column);
        ck_assert_int_eq(status->code, STATUS_BAD_INPUT);
    }
}
END_TEST

START_TEST(all_mistakes_are_reported_together)
{
    const char *text = HEAD "1,0,x,1,,\n2,0,1,y,,\n3,0,1,1,,\n4,z,1,1,,\n";
    JobList list;
    Problems problems = problems_create(arena);
    ck_assert(!job_list_parse(arena, "t.csv", text, strlen(text), &list, &problems));
    ck_assert_int_eq(problems.count, 3);
    ck_assert(problems.items[2].at.line == 5 && problems.items[2].at.column == 3);
}
END_TEST

START_TEST(a_written_list_is_read_back)
{
    const char *text =
        "# trainyard job list 1\n"
        "job,submit_s,run_s,gpus,gpus_per_node_max,nodes,cpus,memory_bytes,gpu_type,speeds,"
        "queue,user,priority,requested_s,state,recorded_wait_s,after_job,think_s\n"
        "x,0,58543,1,,,,,,,,,,,,,,\n"
        "\"y,z\",878.25,0,16,8,2,96,1099511627776,V100,V100=1|A100=2.5,q1,u1,0,7200,"
        "\"Pa\"\"ss\",30,x,9\n";
    const JobList list = read_list(text);
    ck_assert_str_eq(written(&list, NULL), text);
}
END_TEST

START_TEST(the_first_line_says_where_a_list_comes_from)
{
    const JobList list = read_list("job,submit_s,run_s,gpus\n1,0,1,1\n");
    const JobListProvenance provenance = {"philly-csv", "philly.csv", "6f0c", "p.import.json"};
    ck_assert_str_eq(written(&list, &provenance),
                     "# trainyard job list 1; philly-csv; philly.csv; SHA-256 6f0c; options and "
                     "counts in p.import.json\njob,submit_s,run_s,gpus\n1,0,1,1\n");
}
END_TEST

START_TEST(a_long_list_with_names_keeps_all_rows)
{
    enum { ROWS = 20000 };
    Text text = {0};
    text_add(&text, "job,submit_s,run_s,gpus,queue,after_job\n");
    for (int32_t i = 0; i < ROWS; i++) {
        text_printf(&text, "job-%d,%d,%d,%d,q%d,", i, i / 3, i % 977, i % 9, i % 13);
        if (i > 0)
            text_printf(&text, "job-%d", i - 1);
        text_add(&text, "\n");
    }
    const JobList list = read_list(text_string(&text));
    ck_assert_int_eq(list.count, ROWS);
    ck_assert_int_eq(list.queues.count, 13);
    ck_assert(list.after_job[ROWS - 1] == ROWS - 2 && list.submit_ns[ROWS - 1] == 6666 * NS_PER_S);
    ck_assert_str_eq(list.names[12345], "job-12345");
    ck_assert_str_eq(list.queues.texts[list.queue[12345]], "q8");
    const JobList again = read_list(written(&list, NULL));
    ck_assert(memcmp(again.run_ns, list.run_ns, ROWS * sizeof(int64_t)) == 0);
    ck_assert(memcmp(again.after_job, list.after_job, ROWS * sizeof(int64_t)) == 0);
    text_free(&text);
}
END_TEST

START_TEST(a_list_comes_from_a_source_of_files)
{
    MemoryFiles files = {0};
    const char *text = "job,submit_s,run_s,gpus\n1,0,1,1\n";
    memory_files_set(&files, "a/list.csv", text, strlen(text));
    JobList list;
    Problems problems = problems_create(arena);
    ck_assert(job_list_read(arena, memory_files_source(&files), "a/list.csv", &list, &problems));
    ck_assert_int_eq(list.count, 1);
    ck_assert(!job_list_read(arena, memory_files_source(&files), "b.csv", &list, &problems));
    ck_assert_int_eq(problems.items[0].code, STATUS_NOT_FOUND);
}
END_TEST

Suite *test_suite(void)
{
    TCase *cases = tcase_create("job list");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, four_columns_make_a_list);
    tcase_add_test(cases, every_column_is_read_in_any_order);
    tcase_add_test(cases, numbers_of_rows_are_no_names_until_one_differs);
    tcase_add_test(cases, jobs_follow_numbered_jobs);
    tcase_add_test(cases, each_mistake_has_its_place);
    tcase_add_test(cases, all_mistakes_are_reported_together);
    tcase_add_test(cases, a_written_list_is_read_back);
    tcase_add_test(cases, the_first_line_says_where_a_list_comes_from);
    tcase_add_test(cases, a_long_list_with_names_keeps_all_rows);
    tcase_add_test(cases, a_list_comes_from_a_source_of_files);
    Suite *suite = suite_create("job list");
    suite_add_tcase(suite, cases);
    return suite;
}

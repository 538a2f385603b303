#include <stdlib.h>
#include <string.h>

#include "sim/output/trace/tsv.h"
#include "tests/support/suite.h"
#include "tests/support/trace_story.h"

static Arena *arena;

static void begin(void)
{
    arena = arena_create();
}

static void end(void)
{
    arena_destroy(arena);
}

static void nothing(void *listener, const TraceRow *row)
{
    (void)listener;
    (void)row;
}

static const TraceListener deaf = {.level = TRACE_LEVEL_STEPS, .row = nothing};

START_TEST(a_record_is_a_line_of_eleven_columns)
{
    const TraceRow row = {.record = {.kind = TRACE_NODE_BILLED,
                                     .at_ns = 300,
                                     .since_ns = 100,
                                     .name = "released",
                                     .node_billed = {180, 900000}},
                          .cluster = "dev/gpu",
                          .node = "tvm-1"};
    Text line = {0};
    trace_tsv_print_row(&line, &row);
    ck_assert_str_eq(text_string(&line),
                     "300\t100\tnode_billed\tdev/gpu\ttvm-1\t-\t-\t-\treleased\t"
                     "billed_ns=180 micro_usd_per_hour=900000\t-\n");
    text_free(&line);
}
END_TEST

START_TEST(a_record_of_a_share_has_bytes_even_if_they_are_0)
{
    const TraceRow row = {.record = {.kind = TRACE_FILE_WRITTEN, .name = "-"}, .share = "a/s"};
    Text line = {0};
    trace_tsv_print_row(&line, &row);
    ck_assert_str_eq(text_string(&line), "0\t0\tfile_written\t-\t-\t-\ta/s\t0\t\\-\t-\t-\n");
    text_free(&line);
}
END_TEST

START_TEST(the_first_lines_describe_the_trace)
{
    const TraceHeader header = {.level = TRACE_LEVEL_EPOCHS,
                                .scenario = "my run",
                                .seed = UINT64_MAX,
                                .start_unix_ms = INT64_C(1531935900000)};
    Text text = {0};
    trace_tsv_print_header(&text, &header);
    ck_assert_str_eq(
        text_string(&text),
        "#trainyard-trace 2 level=epochs scenario=my\\srun seed=18446744073709551615 "
        "start=2018-07-18T17:45:00Z\n"
        "at_ns\tsince_ns\trecord\tcluster\tnode\tjob\tshare\tbytes\tname\tvalues\tcause\n");
    TraceHeader read = {0};
    Problems problems = problems_create(arena);
    ck_assert(trace_tsv_read(arena, "t", text.data, text.length, &read, deaf, &problems));
    ck_assert_int_eq(read.level, TRACE_LEVEL_EPOCHS);
    ck_assert_str_eq(read.scenario, "my run");
    ck_assert_uint_eq(read.seed, UINT64_MAX);
    ck_assert_int_eq(read.start_unix_ms, header.start_unix_ms);
    text_free(&text);
}
END_TEST

START_TEST(inputs_of_the_run_follow_the_first_line)
{
    static const char *const given[] = {"set /x=a\tb", "param who=a # b", "file job.json 0123"};
    const TraceHeader header = {.scenario = "s", .given_count = 3, .given = given};
    Text text = {0};
    trace_tsv_print_header(&text, &header);
    ck_assert_ptr_nonnull(strstr(
        text_string(&text), "Z\n#set /x=a\\tb\n#param who=a # b\n#file job.json 0123\nat_ns\t"));
    TraceHeader read = {0};
    Problems problems = problems_create(arena);
    ck_assert(trace_tsv_read(arena, "t", text.data, text.length, &read, deaf, &problems));
    ck_assert_uint_eq(read.given_count, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_str_eq(read.given[i], given[i]);
    // Cut off after the inputs.
    const size_t whole = (size_t)(strstr(text.data, "at_ns") - text.data);
    ck_assert(!trace_tsv_read(arena, "t", text.data, whole, &read, deaf, &problems));
    ck_assert_int_eq(problems.count, 1);
    text_free(&text);
}
END_TEST

/* The output of the writer after reading `lines`. */
static char *rewritten(const char *const *lines)
{
    const TraceHeader header = {.level = TRACE_LEVEL_STEPS,
                                .scenario = "story",
                                .seed = 7,
                                .start_unix_ms = INT64_C(1531935900000)};
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    TraceTsvWriter *writer = trace_tsv_writer_create(arena, stream, &header);
    trace_story_tell(arena, lines, trace_tsv_writer_listener(writer));
    trace_tsv_writer_finish(writer);
    fclose(stream);
    return text;
}

START_TEST(a_trace_is_read_and_written_back_byte_for_byte)
{
    char *text = rewritten(trace_story_training);
    ck_assert_str_eq(text, trace_story_text(arena, trace_story_training));
    free(text);
    const char *const odd_names[] = {
        "0 0 command_applied - - - - - tab\\tline\\nend\\\\backslash ordinal=0",
        "5 5 file_written - - - -/s 0 \\- -",
        "5 5 file_written - - - a/s 0 \\\\- -",
        NULL,
    };
    text = rewritten(odd_names);
    ck_assert_str_eq(text, trace_story_text(arena, odd_names));
    free(text);
}
END_TEST

static void keep_last(void *listener, const TraceRow *row)
{
    *(TraceRow *)listener = *row;
}

START_TEST(resources_are_numbered_in_order_of_appearance_and_again_when_recreated)
{
    static const char *const lines[] = {
        "0 0 job_provisioning dev/gpu - dev/e/a - - creating -",
        "0 0 job_provisioning dev/gpu - dev/e/b - - creating -",
        "1 1 job_provisioning dev/gpu - dev/e/a - - deleted -",
        "2 2 job_provisioning dev/gpu - dev/e/a - - creating -",
        "3 3 job_state dev/gpu - dev/e/a - - queued exit_code=-1",
        NULL,
    };
    TraceRow last;
    trace_story_tell(arena, lines,
                     (TraceListener){.listener = &last, .level = 0, .row = keep_last});
    ck_assert_uint_eq(last.record.job.index, 2);
    ck_assert_uint_eq(last.record.cluster.index, 0);
    ck_assert_uint_eq(last.record.node.index, ID_NONE);
    ck_assert_str_eq(last.job, "dev/e/a");
    ck_assert_int_eq(last.record.job_state.exit_code, -1);
}
END_TEST

START_TEST(a_listener_receives_its_level_and_the_coarser_ones)
{
    TraceRow last = {0};
    trace_story_tell(
        arena,
        (const char *const[]){"1 1 cluster_shown dev/gpu - - - - - -",
                              "2 1 step dev/gpu n dev/e/a - - - epoch=1 step=1 "
                              "rank=0 input_ns=0 compute_ns=1 wait_ns=0 "
                              "exchange_ns=0 update_ns=0",
                              NULL},
        (TraceListener){.listener = &last, .level = TRACE_LEVEL_EPOCHS, .row = keep_last});
    ck_assert_int_eq(last.record.kind, TRACE_CLUSTER_SHOWN);
}
END_TEST

/* An invalid third line, with the position and the message of its problem. */
static const struct {
    const char *line;
    int32_t column;
    const char *message;
} bad_lines[] = {
    {"0\t0\tcluster_shown\td/c\t-\t-\t-\t-\t-\t-\n", 1, "eleven columns"},
    {"0\t0\tcluster_shown\td/c\t-\t-\t-\t-\t-\t-\t-\t-\n", 1, "eleven columns"},
    {"x\t0\tcluster_shown\td/c\t-\t-\t-\t-\t-\t-\t-\n", 1, "\"x\": expected a whole number"},
    {"01\t0\tcluster_shown\td/c\t-\t-\t-\t-\t-\t-\t-\n", 1, "whole number"},
    {"9223372036854775808\t0\tcluster_shown\td/c\t-\t-\t-\t-\t-\t-\t-\n", 1, "whole number"},
    {"5\t6\tcluster_shown\td/c\t-\t-\t-\t-\t-\t-\t-\n", 3, "a time from 0 to at_ns"},
    {"5\t-1\tcluster_shown\td/c\t-\t-\t-\t-\t-\t-\t-\n", 3, "a time from 0 to at_ns"},
    {"0\t0\tcluster_show\td/c\t-\t-\t-\t-\t-\t-\t-\n", 5,
     "\"cluster_show\" is not a kind of record"},
    {"0\t0\tcluster_shown\t-\t-\t-\t-\t-\t-\t-\t-\n", 1,
     "a cluster_shown record without a cluster"},
    {"0\t0\tcluster_shown\td\\c\t-\t-\t-\t-\t-\t-\t-\n", 19, "after a backslash"},
    {"0\t0\tcluster_shown\td/c\t-\t-\t-\t-2\t-\t-\t-\n", 29, "a number of bytes"},
    {"0\t0\tcluster_shown\td/c\t-\t-\t-\t-\t-\tx=1\t-\n", 33, "- for a record without values"},
    {"0\t0\tcluster_ready\td/c\t-\t-\t-\t-\t-\tnode=1\t-\n", 33, "nodes=INTEGER at value 1"},
    {"0\t0\tcluster_ready\td/c\t-\t-\t-\t-\t-\tnodes=1 x=2\t-\n", 41, "no more values"},
    {"0\t0\tcluster_ready\td/c\t-\t-\t-\t-\t-\tnodes=-1\t-\n", 39, "a number not below 0"},
    {"0\t0\tcommand_applied\t-\t-\t-\t-\t-\tx\tordinal=-1\t-\n", 41, "a number not below 0"},
    {"0\t0\tcommand_refused\t-\t-\t-\t-\t-\tx\tordinal=-2\t-\n", 41, "a number not below 0"},
    {"0\t0\tepoch\td/c\t-\td/e/j\t-\t-\t-\tepoch=1\t-\n", 5,
     "records of the level in the first line"},
    {"0\t0\tcluster_shown\td/c\t-\t-\t-\t-\t-\t-\tcrsh\n", 35, "\"crsh\" is not a cause"},
    {"0\t0\tcluster_shown\td/c\t-\t-\t-\t-\t-\t-\t\n", 35, "\"\" is not a cause"},
    {"0\t0\tcluster_shown\td/c\t-\t-\t-\t-\t-\t-", 1, "the file is cut off here"},
};

START_TEST(a_bad_line_is_refused_with_its_place)
{
    const TraceHeader header = {.level = TRACE_LEVEL_JOBS, .scenario = "s"};
    for (size_t i = 0; i < sizeof bad_lines / sizeof bad_lines[0]; i++) {
        Text text = {0};
        trace_tsv_print_header(&text, &header);
        text_add(&text, bad_lines[i].line);
        TraceHeader read;
        Problems problems = problems_create(arena);
        ck_assert(!trace_tsv_read(arena, "t.tsv", text.data, text.length, &read, deaf, &problems));
        ck_assert_int_eq(problems.count, 1);
        const Status *problem = &problems.items[0];
        ck_assert_msg(strstr(problem->message, bad_lines[i].message) != NULL, "row %zu: %s", i,
                      problem->message);
        ck_assert_str_eq(problem->at.source, "t.tsv");
        ck_assert_int_eq(problem->at.line, 3);
        ck_assert_msg(problem->at.column == bad_lines[i].column, "row %zu: column %d", i,
                      problem->at.column);
        text_free(&text);
    }
}
END_TEST

START_TEST(a_mistyped_kind_gets_the_nearest_name)
{
    const char text[] =
        "#trainyard-trace 2 level=jobs scenario=s seed=0 start=2018-01-01T00:00:00Z\n"
        "at_ns\tsince_ns\trecord\tcluster\tnode\tjob\tshare\tbytes\tname\tvalues\tcause\n"
        "0\t0\tjob_shwon\td/c\t-\td/e/j\t-\t-\t-\t-\t-\n";
    TraceHeader read;
    Problems problems = problems_create(arena);
    ck_assert(!trace_tsv_read(arena, "t", text, sizeof text - 1, &read, deaf, &problems));
    ck_assert_str_eq(problems.items[0].hint, "did you mean \"job_shown\"?");
}
END_TEST

START_TEST(all_bad_lines_are_reported_at_once_and_times_never_decrease)
{
    const char text[] =
        "#trainyard-trace 2 level=jobs scenario=s seed=0 start=2018-01-01T00:00:00Z\n"
        "at_ns\tsince_ns\trecord\tcluster\tnode\tjob\tshare\tbytes\tname\tvalues\tcause\n"
        "9\t9\tcluster_shown\td/c\t-\t-\t-\t-\t-\t-\t-\n"
        "8\t8\tcluster_shown\td/c\t-\t-\t-\t-\t-\t-\t-\n"
        "nonsense\n";
    TraceHeader read;
    Problems problems = problems_create(arena);
    ck_assert(!trace_tsv_read(arena, "t", text, sizeof text - 1, &read, deaf, &problems));
    ck_assert_int_eq(problems.count, 2);
    ck_assert_int_eq(problems.items[0].at.line, 4);
    ck_assert_int_eq(problems.items[1].at.line, 5);
}
END_TEST

START_TEST(a_cause_is_written_by_its_name_and_read_again)
{
    static const char *const lines[] = {
        "5 5 node_state:preemption d/c n - - - released was=2",
        "5 5 job_state d/c - d/e/j - - queued exit_code=-1",
        "6 6 command_refused - - - - - job.create ordinal=-1", // from a workload, not from a
                                                               // command
        NULL,
    };
    char *text = rewritten(lines);
    ck_assert_ptr_nonnull(strstr(text, "\twas=2\tpreemption\n"));
    ck_assert_ptr_nonnull(strstr(text, "\texit_code=-1\t-\n"));
    ck_assert_str_eq(text, trace_story_text(arena, lines));
    free(text);
}
END_TEST

START_TEST(a_trace_in_the_old_format_is_refused_with_a_hint)
{
    const char text[] =
        "#trainyard-trace 1 level=jobs scenario=s seed=0 start=2018-01-01T00:00:00Z\n"
        "at_ns\tsince_ns\trecord\tcluster\tnode\tjob\tshare\tbytes\tname\tvalues\n";
    TraceHeader read;
    Problems problems = problems_create(arena);
    ck_assert(!trace_tsv_read(arena, "t", text, sizeof text - 1, &read, deaf, &problems));
    ck_assert_int_eq(problems.count, 1);
    ck_assert_str_eq(problems.items[0].message,
                     "this trace is of format 1, expected format 2 with causes");
    ck_assert_str_eq(problems.items[0].hint,
                     "run its scenario again: the same seed gives the same run");
}
END_TEST

START_TEST(a_file_that_is_not_a_trace_is_refused)
{
    static const struct {
        const char *text;
        size_t length;
        const char *message;
    } files[] = {
        {"", 0, "the file is empty"},
        {"{}\n", 3, "as the first line of a trace"},
        {"#trainyard-trace 3 level=jobs\n", 30, "as the first line of a trace"},
        {"#trainyard-trace 2 level=all\n", 29, "jobs, epochs or steps"},
        {"#trainyard-trace 2 level=jobs seed=1\n", 37, "scenario=... here"},
        {"#trainyard-trace 2 level=jobs\n", 30, "scenario=... here"},
        {"#trainyard-trace 2 level=jobs scenario=s seed=-1\n", 49, "a seed of 0"},
        {"#trainyard-trace 2 level=jobs scenario=s seed=1 start=now\n", 58, ""},
        {"a\0b\n", 4, "a NUL byte"},
        {"#trainyard-trace 2 level=jobs scenario=s seed=1 start=2018-01-01T00:00:00Z\nat\n", 78,
         "eleven columns"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        TraceHeader read;
        Problems problems = problems_create(arena);
        ck_assert(
            !trace_tsv_read(arena, "t", files[i].text, files[i].length, &read, deaf, &problems));
        ck_assert_int_eq(problems.count, 1);
        ck_assert_msg(strstr(problems.items[0].message, files[i].message) != NULL, "row %zu: %s", i,
                      problems.items[0].message);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("trace_tsv");
    TCase *tests = tcase_create("trace_tsv");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_record_is_a_line_of_eleven_columns);
    tcase_add_test(tests, a_record_of_a_share_has_bytes_even_if_they_are_0);
    tcase_add_test(tests, the_first_lines_describe_the_trace);
    tcase_add_test(tests, inputs_of_the_run_follow_the_first_line);
    tcase_add_test(tests, a_trace_is_read_and_written_back_byte_for_byte);
    tcase_add_test(tests, resources_are_numbered_in_order_of_appearance_and_again_when_recreated);
    tcase_add_test(tests, a_listener_receives_its_level_and_the_coarser_ones);
    tcase_add_test(tests, a_bad_line_is_refused_with_its_place);
    tcase_add_test(tests, a_mistyped_kind_gets_the_nearest_name);
    tcase_add_test(tests, all_bad_lines_are_reported_at_once_and_times_never_decrease);
    tcase_add_test(tests, a_cause_is_written_by_its_name_and_read_again);
    tcase_add_test(tests, a_trace_in_the_old_format_is_refused_with_a_hint);
    tcase_add_test(tests, a_file_that_is_not_a_trace_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}

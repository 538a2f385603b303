#include "sim/study/journal/journal_text.h"

#include <string.h>

#include "tests/support/run_journal.h"
#include "tests/support/suite.h"

static Arena *arena;
static Crc32c crc;
static Text text;
static Problems problems;
static RunRecords records;
static JournalExtent extent;

static void begin(void)
{
    arena = arena_create();
    crc32c_prepare(&crc);
    text = (Text){0};
    problems = problems_create(arena);
}

static void end(void)
{
    text_free(&text);
    arena_destroy(arena);
}

/* A journal of `count` replications of point 3. */
static void write_journal(int32_t count)
{
    journal_header_print(&crc, &test_identity, &text);
    for (int32_t i = 0; i < count; i++) {
        TestRun run;
        journal_record_print(&crc, test_run(&run, 3, i), &text);
    }
}

static bool read_journal(size_t length)
{
    RunCollection *collection = run_collection_create(arena, TEST_METRICS);
    problems = problems_create(arena);
    const bool is_right = journal_text_read(&crc, "0-0.log", text_string(&text), length,
                                            &test_identity, collection, &extent, &problems);
    ck_assert(is_right == (problems.count == 0));
    ck_assert(run_collection_finish(collection, &records, &problems));
    return is_right;
}

static void check_problem(int32_t index, int32_t line, int32_t column, const char *message)
{
    ck_assert_int_gt(problems.kept, index);
    ck_assert_str_eq(problems.items[index].message, message);
    ck_assert_int_eq(problems.items[index].at.line, line);
    ck_assert_int_eq(problems.items[index].at.column, column);
}

START_TEST(a_journal_has_a_line_for_its_identity_and_one_for_each_run)
{
    journal_header_print(&crc, &test_identity, &text);
    const double values[] = {12.5, 3600};
    const uint8_t flags[] = {0, RUN_VALUE_IS_LOWER_BOUND};
    journal_record_print(&crc,
                         &(RunRecord){.point = 0,
                                      .replication = 7,
                                      .seed = 8,
                                      .value_count = 2,
                                      .values = values,
                                      .flags = flags,
                                      .fingerprint = 0xe21b},
                         &text);
    static const char expected[] =
        "trainyard-journal 1\tversion=0.1.0\trng=philox4x32-10\t"
        "study=00112233445566778899aabbccddeeff\tscenario=5ce7a610\tcatalogue=ca7a1096\tworkloads="
        "\tmetric=workloads.day.queue_s.mean\tmetric=cost_usd.total\t";
    ck_assert_int_eq(strncmp(text.data, expected, strlen(expected)), 0);
    const char *record = strchr(text.data, '\n') + 1;
    static const char expected_record[] = "0\t7\t8\t000000000000e21b\t12.5\t>=3600\t";
    ck_assert_int_eq(strncmp(record, expected_record, strlen(expected_record)), 0);
    ck_assert_uint_eq(strlen(record), strlen(expected_record) + 9);
}
END_TEST

START_TEST(written_records_are_read_back)
{
    write_journal(100);
    ck_assert(read_journal(text.length));
    ck_assert_int_eq(records.count, 100);
    ck_assert_int_eq(extent.record_count, 100);
    ck_assert_uint_eq(extent.valid_bytes, text.length);
    ck_assert_int_eq(extent.torn_bytes, 0);
    for (int32_t i = 0; i < 100; i++) {
        TestRun run;
        ck_assert(run_record_is_same(&records.items[i], test_run(&run, 3, i)));
    }
}
END_TEST

START_TEST(a_journal_that_ends_anywhere_keeps_its_whole_records)
{
    size_t ends[4]; // after the header and each record
    write_journal(0);
    ends[0] = text.length;
    for (int32_t i = 0; i < 3; i++) {
        TestRun run;
        journal_record_print(&crc, test_run(&run, 3, i), &text);
        ends[i + 1] = text.length;
    }
    for (size_t length = 0; length <= text.length; length++) {
        int32_t whole = -1; // records, -1: not even the header
        while (whole < 3 && length >= ends[whole + 1])
            whole++;
        const size_t valid = whole < 0 ? 0 : ends[whole];
        ck_assert_msg(read_journal(length), "%zu: %s", length, problems.items[0].message);
        ck_assert_int_eq(records.count, whole < 0 ? 0 : whole);
        ck_assert_uint_eq(extent.valid_bytes, valid);
        ck_assert_int_eq(extent.torn_bytes, (int64_t)(length - valid));
    }
}
END_TEST

START_TEST(a_changed_byte_in_the_last_record_drops_it_and_before_it_is_an_error)
{
    write_journal(2);
    const char *second = strchr(text.data, '\n') + 1, *third = strchr(second, '\n') + 1;
    for (size_t i = 0; i < text.length; i++) {
        const char right = text.data[i];
        text.data[i] = (char)(right ^ 1);
        const bool is_header = text.data + i < second, is_first = text.data + i < third;
        const bool is_read = read_journal(text.length);
        text.data[i] = right;
        if (text.data + i + 1 == third) { // without its LF, the line continues to the end
            ck_assert(is_read);
            ck_assert_int_eq(records.count, 0);
        } else if (is_header || is_first) {
            ck_assert_msg(!is_read, "byte %zu", i);
            ck_assert_int_eq(problems.items[0].code, STATUS_BAD_INPUT);
            ck_assert_int_eq(problems.items[0].at.line, is_header ? 1 : 2);
        } else {
            ck_assert_msg(is_read, "byte %zu: %s", i, problems.items[0].message);
            ck_assert_int_eq(records.count, 1);
            ck_assert_int_eq(extent.torn_bytes, (int64_t)text.length - (third - text.data));
        }
    }
}
END_TEST

START_TEST(damage_in_the_middle_is_reported_line_by_line_with_a_remedy)
{
    write_journal(5);
    char *second = strchr(text.data, '\n') + 1, *third = strchr(second, '\n') + 1;
    second[0] = '4';
    third[0] = '4';
    ck_assert(!read_journal(text.length));
    ck_assert_int_eq(problems.count, 2);
    check_problem(0, 2, 1,
                  "this line is damaged: its checksum does not match, but later lines are right");
    ck_assert_str_eq(problems.items[0].hint,
                     "delete the line; its run is repeated by the next sweep. The disk or another "
                     "program changed the file");
    ck_assert_int_eq(problems.items[1].at.line, 3);
    ck_assert_int_eq(records.count, 3);
}
END_TEST

/* Adds a line with a right checksum. */
static void add_line(const char *line)
{
    text_printf(&text, "%s\t%08x\n", line, crc32c_of(&crc, line, strlen(line)));
}

START_TEST(a_line_with_a_right_checksum_and_wrong_fields_is_reported_at_its_column)
{
    static const struct {
        const char *line;
        int32_t column;
        const char *message;
    } rows[] = {
        {"-1\t0\t1\t000000000000e21b\t1\t2", 1, "expected a point: a whole number from 0"},
        {"2147483648\t0\t1\t000000000000e21b\t1\t2", 1, "expected a point: a whole number from 0"},
        {"0\tx\t1\t000000000000e21b\t1\t2", 3, "expected a replication: a whole number from 0"},
        {"0\t0\t\t000000000000e21b\t1\t2", 5, "expected a seed: a whole number from 0"},
        {"0\t0\t1\te21b\t1\t2", 7, "expected a fingerprint: 16 hexadecimal digits"},
        {"0\t0\t1\t000000000000E21B\t1\t2", 7, "expected a fingerprint: 16 hexadecimal digits"},
        {"0\t0\t1\t000000000000e21b\tnan\t2", 24, "expected the value of a metric"},
        {"0\t0\t1\t000000000000e21b\t1", 24, "expected the value of a metric"},
        {"0\t0\t1\t000000000000e21b\t1\t2\t3", 28,
         "expected no more values: the study has fewer metrics"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text_clear(&text);
        write_journal(1);
        add_line(rows[i].line);
        ck_assert(!read_journal(text.length));
        check_problem(0, 3, rows[i].column, rows[i].message);
    }
}
END_TEST

START_TEST(files_that_are_not_journals_and_other_formats_are_refused)
{
    static const struct {
        const char *content;
        const char *message;
    } rows[] = {
        {"hello", "is not a journal of runs: it does not begin with \"trainyard-journal \""},
        {"trainyard-journal 1\tversion=0.1.0\nhello\n", "the header of this journal is damaged"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text_clear(&text);
        text_add(&text, rows[i].content);
        ck_assert(!read_journal(text.length));
        check_problem(0, 1, 1, rows[i].message);
    }
    text_clear(&text);
    add_line("trainyard-journal 2\tversion=9");
    ck_assert(!read_journal(text.length));
    check_problem(0, 1, 19, "the journal has format 2, this program reads format 1");
    text_clear(&text);
    add_line("trainyard-journal 1\tversion=0.1.0\tstudy=1");
    ck_assert(!read_journal(text.length));
    check_problem(0, 1, 35, "the header lacks \"rng=\"");
    text_clear(&text);
    add_line("other");
    ck_assert(!read_journal(text.length));
}
END_TEST

START_TEST(the_journal_of_another_study_is_refused_with_both_identities)
{
    write_journal(1);
    static const char *const others[] = {"workloads.day.queue_s.mean", "cost_usd.nodes"};
    JournalIdentity expected = test_identity;
    expected.study = "ffee";
    expected.metrics = others;
    ck_assert(!journal_text_read(&crc, "0-0.log", text.data, text.length, &expected, NULL, &extent,
                                 &problems));
    check_problem(0, 1, 1,
                  "contains runs of another study: study \"00112233445566778899aabbccddeeff\" "
                  "instead of \"ffee\", metric \"cost_usd.total\" instead of \"cost_usd.nodes\"");
    problems = problems_create(arena);
    expected = test_identity;
    expected.metric_count = 1;
    ck_assert(!journal_text_read(&crc, "0-0.log", text.data, text.length, &expected, NULL, &extent,
                                 &problems));
    check_problem(0, 1, 1, "contains runs of another study: 2 values a run instead of 1");
}
END_TEST

START_TEST(the_identity_is_read_back)
{
    write_journal(0);
    JournalIdentity identity;
    bool is_torn;
    Status status;
    ck_assert(journal_text_identity(arena, &crc, "0-0.log", text.data, text.length, &identity,
                                    &is_torn, &status));
    ck_assert(!is_torn);
    ck_assert(journal_identity_matches(&identity, &test_identity, place_in("", 0, 0), &status));
    ck_assert(
        journal_text_identity(arena, &crc, "0-0.log", text.data, 30, &identity, &is_torn, &status));
    ck_assert(is_torn);
}
END_TEST

START_TEST(zero_bytes_after_a_power_failure_are_a_torn_tail)
{
    write_journal(2);
    const size_t whole = text.length;
    static const char zeros[4096];
    text_append(&text, zeros, sizeof zeros);
    ck_assert(read_journal(text.length));
    ck_assert_int_eq(records.count, 2);
    ck_assert_uint_eq(extent.valid_bytes, whole);
    text_clear(&text);
    text_append(&text, zeros, sizeof zeros);
    ck_assert(read_journal(text.length));
    ck_assert_int_eq(records.count, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("journal_text");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, a_journal_has_a_line_for_its_identity_and_one_for_each_run);
    tcase_add_test(tests, written_records_are_read_back);
    tcase_add_test(tests, a_journal_that_ends_anywhere_keeps_its_whole_records);
    tcase_add_test(tests, a_changed_byte_in_the_last_record_drops_it_and_before_it_is_an_error);
    tcase_add_test(tests, damage_in_the_middle_is_reported_line_by_line_with_a_remedy);
    tcase_add_test(tests, a_line_with_a_right_checksum_and_wrong_fields_is_reported_at_its_column);
    tcase_add_test(tests, files_that_are_not_journals_and_other_formats_are_refused);
    tcase_add_test(tests, the_journal_of_another_study_is_refused_with_both_identities);
    tcase_add_test(tests, the_identity_is_read_back);
    tcase_add_test(tests, zero_bytes_after_a_power_failure_are_a_torn_tail);
    suite_add_tcase(suite, tests);
    return suite;
}

#include "trainer/record/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/files.h"
#include "tests/support/suite.h"
#include "tests/support/temporary_folder.h"

static const char header[] =
    "# trainyard history 1\nepoch\tloss\tacc\tval_loss\tval_acc\tlr\tseconds\timages_per_s\n";

/* Every test has a separate folder. */
static Arena *arena;
static const char *folder, *path;

static void begin(void)
{
    arena = arena_create();
    folder = temporary_folder_create(arena);
    path = arena_printf(arena, "%s/history.tsv", folder);
}

static void end(void)
{
    temporary_folder_remove(folder);
    arena_destroy(arena);
}

static EpochRecord record_of(int64_t epoch)
{
    return (EpochRecord){.epoch = epoch,
                         .loss = 1.5 / (double)epoch,
                         .acc = 0.25,
                         .val_loss = 1.25,
                         .val_acc = 0.375,
                         .learning_rate = 0.0004,
                         .seconds = 12.3456,
                         .images_per_s = 1612.44};
}

static void add_epochs(int64_t done, int64_t until)
{
    History *history;
    Status status;
    ck_assert_msg(history_open(path, done, arena, &history, &status), "%s", status.message);
    for (int64_t epoch = done + 1; epoch <= until; epoch++) {
        const EpochRecord record = record_of(epoch);
        ck_assert_msg(history_add(history, &record, &status), "%s", status.message);
    }
    history_close(history);
}

START_TEST(an_epoch_is_a_row)
{
    add_epochs(0, 2);
    const char *expected =
        arena_printf(arena, "%s%s", header,
                     "1\t1.500000\t0.250000\t1.250000\t0.375000\t0.000400000\t12.346\t1612.4\n"
                     "2\t0.750000\t0.250000\t1.250000\t0.375000\t0.000400000\t12.346\t1612.4\n");
    ck_assert_str_eq(temporary_file_text(arena, path), expected);
}
END_TEST

START_TEST(the_values_read_are_those_written_to_the_last_decimal)
{
    History *history;
    HistoryFile file;
    Status status;
    EpochRecord record = record_of(7);
    record.val_loss = record.val_acc = NAN;
    ck_assert(history_open(path, 0, arena, &history, &status));
    ck_assert(history_add(history, &record, &status));
    history_close(history);
    ck_assert_msg(history_read(path, arena, &file, &status), "%s", status.message);
    ck_assert_int_eq(file.count, 1);
    ck_assert_int_eq(file.records[0].epoch, 7);
    ck_assert(isnan(file.records[0].val_loss) && isnan(file.records[0].val_acc));
    ck_assert_double_eq(file.records[0].loss, 0.214286); // 1.5 / 7, rounded to six decimals
    ck_assert_double_eq(file.records[0].learning_rate, 0.0004);
    ck_assert_double_eq(file.records[0].seconds, 12.346);
    ck_assert_double_eq(file.records[0].images_per_s, 1612.4);
}
END_TEST

START_TEST(a_resumed_training_continues_after_its_checkpoint)
{
    add_epochs(0, 6);
    const char *straight = temporary_file_text(arena, path);
    add_epochs(4, 4); // resumed and ended before its first epoch: nothing is lost
    ck_assert_str_eq(temporary_file_text(arena, path), straight);
    add_epochs(4, 6); // epochs 5 and 6 are trained again
    ck_assert_str_eq(temporary_file_text(arena, path), straight);
    add_epochs(0, 1); // a new training
    ck_assert_ptr_null(strstr(temporary_file_text(arena, path), "\n2\t"));
    unlink(path);
    add_epochs(4, 5); // resumed after the history was lost
    ck_assert_ptr_nonnull(strstr(temporary_file_text(arena, path), "\n5\t"));
}
END_TEST

START_TEST(a_file_that_is_not_a_history_is_not_replaced)
{
    History *history;
    Status status;
    ck_assert(file_write(path, "mine\n", 5, &status));
    ck_assert(!history_open(path, 1, arena, &history, &status));
    ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
    ck_assert_int_eq(status.at.line, 1);
    ck_assert_str_eq(temporary_file_text(arena, path), "mine\n");
}
END_TEST

START_TEST(a_row_that_cannot_be_written_is_reported_and_can_be_written_later)
{
    History *history;
    Status status;
    const EpochRecord record = record_of(1);
    ck_assert(history_open(path, 0, arena, &history, &status));
    rmdir(folder);
    ck_assert(!history_add(history, &record, &status));
    ck_assert_int_eq(status.code, STATUS_MACHINE);
    ck_assert(folder_create(folder, &status));
    ck_assert(history_add(history, &record, &status));
    ck_assert_str_eq(temporary_file_text(arena, path) + strlen(header),
                     "1\t1.500000\t0.250000\t1.250000\t0.375000\t0.000400000\t12.346\t1612.4\n");
    history_close(history);
}
END_TEST

START_TEST(a_broken_file_is_refused_at_its_place)
{
    static const struct {
        const char *text; /* a leading "H" is replaced by a valid header */
        int32_t line, column;
        const char *why;
    } rows[] = {
        {"", 1, 1, "empty"},
        {"# trainyard history 1", 1, 1, "no line end"},
        {"# trainyard history 2\n", 1, 1, "another version"},
        {"# trainyard history 1\n", 2, 1, "no columns"},
        {"# trainyard history 1\nepoch\tloss\n", 2, 1, "other columns"},
        {"H1\t1.500000\n", 3, 1, "too few cells"},
        {"H1\t1.500000\t0.250000\t-\t-\t0.000400000\t1.000\t2.0\t3\n", 3, 1, "too many cells"},
        {"H1\t1.500000\t0.250000\t-\t-\t0.000400000\t1.000\t2.0", 3, 1, "cut off"},
        {"H1\t1.500000\t0.250000\t-\t-\t0.000400000\t1.000\t2.0\n\n", 4, 1, "an empty line"},
        {"H0\t1.500000\t0.250000\t-\t-\t0.000400000\t1.000\t2.0\n", 3, 1, "epoch 0"},
        {"H01\t1.500000\t0.250000\t-\t-\t0.000400000\t1.000\t2.0\n", 3, 1, "a needless zero"},
        {"H1\t1,500000\t0.250000\t-\t-\t0.000400000\t1.000\t2.0\n", 3, 3, "a comma"},
        {"H1\t1.5\t0.250000\t-\t-\t0.000400000\t1.000\t2.0\n", 3, 3, "too few decimals"},
        {"H1\t-1.500000\t0.250000\t-\t-\t0.000400000\t1.000\t2.0\n", 3, 3, "a sign"},
        {"H1\tnan\t0.250000\t-\t-\t0.000400000\t1.000\t2.0\n", 3, 3, "not a number"},
        {"H1\t-\t0.250000\t-\t-\t0.000400000\t1.000\t2.0\n", 3, 3, "loss left out"},
        {"H1\t1.500000\t0.25000x\t-\t-\t0.000400000\t1.000\t2.0\n", 3, 12, "a letter"},
        {"H1\t1.500000\t0.250000\t1.000000\t-\t0.000400000\t1.000\t2.0\n", 3, 1, "half a test"},
        {"H1\t9999999999999999.000000\t0.250000\t-\t-\t0.000400000\t1.000\t2.0\n", 3, 3, "huge"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *text = rows[i].text;
        if (text[0] == 'H')
            text = arena_printf(arena, "%s%s", header, text + 1);
        HistoryFile file;
        Status status = {0};
        ck_assert_msg(!history_parse("h.tsv", text, strlen(text), arena, &file, &status), "%s",
                      rows[i].why);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_msg(status.at.line == rows[i].line && status.at.column == rows[i].column,
                      "%s: %d:%d: %s", rows[i].why, status.at.line, status.at.column,
                      status.message);
    }
}
END_TEST

START_TEST(epochs_ascend)
{
    const char *text = arena_printf(arena, "%s%s", header,
                                    "3\t1.500000\t0.250000\t-\t-\t0.000400000\t1.000\t2.0\n"
                                    "3\t1.500000\t0.250000\t-\t-\t0.000400000\t1.000\t2.0\n");
    HistoryFile file;
    Status status;
    ck_assert(!history_parse("h.tsv", text, strlen(text), arena, &file, &status));
    ck_assert_int_eq(status.at.line, 4);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("history");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, an_epoch_is_a_row);
    tcase_add_test(tests, the_values_read_are_those_written_to_the_last_decimal);
    tcase_add_test(tests, a_resumed_training_continues_after_its_checkpoint);
    tcase_add_test(tests, a_file_that_is_not_a_history_is_not_replaced);
    tcase_add_test(tests, a_row_that_cannot_be_written_is_reported_and_can_be_written_later);
    tcase_add_test(tests, a_broken_file_is_refused_at_its_place);
    tcase_add_test(tests, epochs_ascend);
    suite_add_tcase(suite, tests);
    return suite;
}

/* The work of a program with checkpoints, as time passes. */
#include "sim/model/work.h"

#include "tests/support/suite.h"
#include "tests/support/theory.h"

/* 300 of work, 10 of writing. */
static const WorkRhythm rhythm = {.every_ns = 300, .takes_ns = 10};

START_TEST(no_checkpoint_follows_the_last_work)
{
    static const struct {
        int64_t work_ns, duration_ns;
    } rows[] = {{0, 0}, {1, 1}, {299, 299}, {300, 300}, {301, 311}, {600, 610}, {601, 621}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_int_eq(work_duration_ns(rhythm, rows[i].work_ns), rows[i].duration_ns);
    ck_assert_int_eq(work_duration_ns((WorkRhythm){0, 10}, 1000), 1000);
    ck_assert_int_eq(work_duration_ns((WorkRhythm){1, INT64_MAX / 2}, 1000), INT64_MAX);
}
END_TEST

START_TEST(a_checkpoint_counts_after_it_is_written)
{
    static const struct {
        int64_t passed_ns, work_ns, writing_ns, kept_ns, kept_writing_ns;
        bool is_unsaved;
    } rows[] = {
        {0, 0, 0, 0, 0, false},        {1, 1, 0, 0, 0, true},
        {299, 299, 0, 0, 0, true},     {300, 300, 0, 0, 0, false}, // due
        {305, 300, 5, 0, 0, false},    {310, 300, 10, 0, 0, false},
        {311, 301, 10, 300, 10, true}, {620, 600, 20, 300, 10, false},
        {700, 680, 20, 600, 20, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const WorkDone done = work_done_after(rhythm, rows[i].passed_ns);
        ck_assert_int_eq(done.work_ns, rows[i].work_ns);
        ck_assert_int_eq(done.writing_ns, rows[i].writing_ns);
        ck_assert_int_eq(done.kept_ns, rows[i].kept_ns);
        ck_assert_int_eq(done.kept_writing_ns, rows[i].kept_writing_ns);
        ck_assert_int_eq(work_is_unsaved(rhythm, rows[i].passed_ns), rows[i].is_unsaved);
    }
}
END_TEST

/* Writes a letter for each nanosecond of the whole work: 'w'ork or the writing of a 'c'heckpoint.
 */
static int64_t write_out(WorkRhythm random, int64_t whole, char *out)
{
    int64_t length = 0, since = 0;
    for (int64_t work = 1; work <= whole; work++) {
        out[length++] = 'w';
        if (++since < random.every_ns || random.every_ns == 0 || work == whole)
            continue;
        for (int64_t i = 0; i < random.takes_ns; i++)
            out[length++] = 'c';
        since = 0;
    }
    return length;
}

START_TEST(the_nanoseconds_add_up)
{
    static char out[5000];
    for (uint64_t seed = 1; seed <= 500; seed++) {
        const WorkRhythm random = {(int64_t)(theory_word(seed, 0) % 20),
                                   1 + (int64_t)(theory_word(seed, 1) % 5)};
        const int64_t whole = (int64_t)(theory_word(seed, 2) % 200);
        const int64_t length = write_out(random, whole, out);
        int64_t work = 0, writing = 0, kept = 0, kept_writing = 0;
        ck_assert_int_eq(work_duration_ns(random, whole), length);
        for (int64_t now = 0; now <= length; now++) {
            const WorkDone done = work_done_after(random, now);
            ck_assert_int_eq(done.work_ns, work);
            ck_assert_int_eq(done.writing_ns, writing);
            ck_assert_int_eq(done.kept_ns, kept);
            ck_assert_int_eq(done.kept_writing_ns, kept_writing);
            if (now < length && out[now] == 'w' && now > 0 && out[now - 1] == 'c')
                kept = work, kept_writing = writing; // work after a checkpoint has begun
            if (now < length)
                *(out[now] == 'w' ? &work : &writing) += 1;
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("work");
    TCase *tests = tcase_create("work");
    tcase_add_test(tests, no_checkpoint_follows_the_last_work);
    tcase_add_test(tests, a_checkpoint_counts_after_it_is_written);
    tcase_add_test(tests, the_nanoseconds_add_up);
    suite_add_tcase(suite, tests);
    return suite;
}

#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/command/trigger_read.h"
#include "tests/support/suite.h"

START_TEST(moments_are_read_and_printed_back)
{
    static const struct {
        const char *text;
        Moment moment;
        const char *subject;
        int64_t delay_ns;
        const char *printed;
        int64_t ordinal;
    } rows[] = {
        {"cluster nc6 steady", MOMENT_CLUSTER_STEADY, "nc6", 0, "after cluster nc6 steady", 0},
        {"cluster nc6 ready", MOMENT_CLUSTER_READY, "nc6", 0, "after cluster nc6 ready", 0},
        {"cluster nc6 empty", MOMENT_CLUSTER_EMPTY, "nc6", 0, "after cluster nc6 empty", 0},
        {"cluster nc6 deleted", MOMENT_CLUSTER_DELETED, "nc6", 0, "after cluster nc6 deleted", 0},
        {"job a started", MOMENT_JOB_STARTED, "a", 0, "after job a started", 0},
        {"job a training", MOMENT_JOB_TRAINING, "a", 0, "after job a training", 0},
        {"job a completed", MOMENT_JOB_COMPLETED, "a", 0, "after job a completed", 0},
        {"job a completed + 5m", MOMENT_JOB_COMPLETED, "a", 5 * NS_PER_MIN,
         "after job a completed + 5 min", 0},
        {"  job  a   completed+90s ", MOMENT_JOB_COMPLETED, "a", 90 * NS_PER_S,
         "after job a completed + 1 min 30 s", 0},
        {"job a submitted", MOMENT_JOB_SUBMITTED, "a", 0, "after job a submitted", 0},
        {"job a epoch 3 + 12m", MOMENT_JOB_EPOCH, "a", 12 * NS_PER_MIN,
         "after job a epoch 3 + 12 min", 3},
        {"job a step 250", MOMENT_JOB_STEP, "a", 0, "after job a step 250", 250},
        {"job a saved 120 + 1s", MOMENT_JOB_SAVED, "a", NS_PER_S, "after job a saved 120 + 1 s",
         120},
        {"job a checkpoint 2", MOMENT_JOB_CHECKPOINT, "a", 0, "after job a checkpoint 2", 2},
        {"job a requeued", MOMENT_JOB_REQUEUED, "a", 0, "after job a requeued 1", 1},
        {"job a requeued+1s", MOMENT_JOB_REQUEUED, "a", NS_PER_S, "after job a requeued 1 + 1 s",
         1},
        {"job a requeued 2", MOMENT_JOB_REQUEUED, "a", 0, "after job a requeued 2", 2},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        Arena *arena = arena_create();
        Status status = {0};
        Trigger trigger;
        Text text = {0};
        ck_assert_msg(trigger_read(arena, rows[i].text, place_in("x", 1, 1), &trigger, &status),
                      "%s: %s", rows[i].text, status.message);
        ck_assert_int_eq(trigger.moment, rows[i].moment);
        ck_assert_str_eq(trigger.subject, rows[i].subject);
        ck_assert_int_eq(trigger.delay_ns, rows[i].delay_ns);
        ck_assert_int_eq(trigger.ordinal, rows[i].ordinal);
        ck_assert_int_eq(moment_is_of_job(trigger.moment), strstr(rows[i].text, "job") != NULL);
        trigger_print(&text, trigger);
        ck_assert_str_eq(text_string(&text), rows[i].printed);
        text_free(&text);
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(invalid_moments_are_refused_with_the_known_ones)
{
    static const char *const texts[] = {
        "",
        "cluster",
        "cluster nc6",
        "node nc6 steady",
        "cluster nc6 completed",
        "job a steady",
        "job a completed 5m",
        "job a completed + ",
        "job a completed + 5m + 5m",
        "job a completed + soon",
        "job a completed + -5m",
        "+ + + + +",
        "job a epoch",
        "job a epoch 0",
        "job a epoch -1",
        "job a epoch three",
        "job a epoch 3 4",
        "job a epoch + 5m",
        "job a epoch 99999999999999999999",
        "job a checkpoint 1.5",
        "job a started 1",
        "cluster nc6 epoch 1",
        "a b c d e f g h i j",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        Arena *arena = arena_create();
        Status status = {0};
        Trigger trigger;
        ck_assert_msg(!trigger_read(arena, texts[i], place_in("x", 3, 7), &trigger, &status), "%s",
                      texts[i]);
        ck_assert_int_eq(status.at.line, 3);
        ck_assert_int_eq(status.at.column, 7);
        arena_destroy(arena);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("trigger_read");
    TCase *tests = tcase_create("trigger_read");
    tcase_add_test(tests, moments_are_read_and_printed_back);
    tcase_add_test(tests, invalid_moments_are_refused_with_the_known_ones);
    suite_add_tcase(suite, tests);
    return suite;
}

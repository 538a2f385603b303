#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/command/condition_read.h"
#include "tests/support/suite.h"

START_TEST(conditions_are_read_and_printed_back)
{
    static const struct {
        const char *text;
        Quantity quantity;
        const char *subject;
        Comparator comparator;
        int64_t value, for_ns;
        const char *printed;
    } rows[] = {
        {"cluster gpu idle >= 4 for 10m", QUANTITY_CLUSTER_IDLE, "gpu", COMPARE_AT_LEAST, 4,
         10 * NS_PER_MIN, "cluster gpu idle >= 4 for 10 min"},
        {"  cluster gpu  nodes<=4 ", QUANTITY_CLUSTER_NODES, "gpu", COMPARE_AT_MOST, 4, 0,
         "cluster gpu nodes <= 4"},
        {"job train running", QUANTITY_JOB_IS_RUNNING, "train", COMPARE_EQUAL, 1, 0,
         "job train running == 1"},
        {"job train queued for 1h", QUANTITY_JOB_IS_QUEUED, "train", COMPARE_EQUAL, 1, NS_PER_HOUR,
         "job train queued == 1 for 1 h"},
        {"job train running == 0", QUANTITY_JOB_IS_RUNNING, "train", COMPARE_EQUAL, 0, 0,
         "job train running == 0"},
        // The noun distinguishes the two quantities with the same name.
        {"cluster train running > 0", QUANTITY_CLUSTER_RUNNING, "train", COMPARE_MORE, 0, 0,
         "cluster train running > 0"},
        {"job train epochs != 3", QUANTITY_JOB_EPOCHS, "train", COMPARE_NOT_EQUAL, 3, 0,
         "job train epochs != 3"},
        {"share acct/name transfers > 10", QUANTITY_SHARE_TRANSFERS, "acct/name", COMPARE_MORE, 10,
         0, "share acct/name transfers > 10"},
        {"cluster for queued_jobs < 2 for 1s", QUANTITY_CLUSTER_QUEUED, "for", COMPARE_LESS, 2,
         NS_PER_S, "cluster for queued_jobs < 2 for 1 s"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        Arena *arena = arena_create();
        Status status = {0};
        Condition condition;
        Text text = {0};
        ck_assert_msg(condition_read(arena, rows[i].text, place_in("x", 1, 1), &condition, &status),
                      "%s: %s", rows[i].text, status.message);
        ck_assert_int_eq(condition.quantity, rows[i].quantity);
        ck_assert_str_eq(condition.subject, rows[i].subject);
        ck_assert_int_eq(condition.comparator, rows[i].comparator);
        ck_assert_int_eq(condition.value, rows[i].value);
        ck_assert_int_eq(condition.for_ns, rows[i].for_ns);
        condition_print(&text, condition);
        ck_assert_str_eq(text_string(&text), rows[i].printed);
        text_free(&text);
        arena_destroy(arena);
    }
}
END_TEST

START_TEST(invalid_conditions_are_refused_with_the_known_words)
{
    static const struct {
        const char *text, *message, *hint;
    } rows[] = {
        {"", "is not a condition", "as in"},
        {"cluster gpu", "is not a condition", "as in"},
        {"node 3 idle", "is not a condition", "as in"},
        {"cluster gpu asleep > 1", "a cluster has no \"asleep\"", "preparing, leaving, unusable"},
        {"job train nodes > 1", "a job has no \"nodes\"", "succeeded, failed, epochs, attempts"},
        {"cluster gpu idle", "needs a number to compare with", "cluster gpu idle >= 1"},
        {"cluster gpu idle for 10m", "needs a number to compare with", "cluster gpu idle >= 1"},
        {"job train epochs", "needs a number to compare with", "job train epochs >= 1"},
        {"cluster gpu idle => 4", "is not a condition", "as in"},
        {"cluster gpu idle = 4", "is not a condition", "as in"},
        {"cluster gpu idle >=", "needs a number to compare with", "0 or more"},
        {"cluster gpu idle >= four", "needs a number to compare with", "0 or more"},
        {"cluster gpu idle >= -4", "needs a number to compare with", "0 or more"},
        {"cluster gpu idle >= 1.5", "needs a number to compare with", "0 or more"},
        {"cluster gpu idle >= 9999999999999", "needs a number to compare with", "0 or more"},
        {"cluster gpu idle >= 4 for", "is not a condition", "as in"},
        {"cluster gpu idle >= 4 for long", "duration", ""},
        {"cluster gpu idle >= 4 during 10m", "is not a condition", "as in"},
        {"cluster gpu idle >= 4 for 10m please", "is not a condition", "as in"},
        {"job train running or else", "is not a condition", "as in"},
        {"a b c d e f g h i j k", "is not a condition", "as in"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        Arena *arena = arena_create();
        Status status = {0};
        Condition condition;
        ck_assert_msg(
            !condition_read(arena, rows[i].text, place_in("x", 3, 7), &condition, &status), "%s",
            rows[i].text);
        ck_assert_msg(strstr(status.message, rows[i].message) != NULL, "%s: %s", rows[i].text,
                      status.message);
        ck_assert_msg(strstr(status.hint, rows[i].hint) != NULL, "%s: %s", rows[i].text,
                      status.hint);
        ck_assert_int_eq(status.at.line, 3);
        arena_destroy(arena);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("condition_read");
    TCase *tests = tcase_create("condition_read");
    tcase_add_test(tests, conditions_are_read_and_printed_back);
    tcase_add_test(tests, invalid_conditions_are_refused_with_the_known_words);
    suite_add_tcase(suite, tests);
    return suite;
}

#include "trainer/comm/rank_place.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/units.h"
#include "tests/support/suite.h"

static const RankPlace good = {.rank = 2,
                               .ranks = 4,
                               .local_rank = 0,
                               .local_ranks = 2,
                               .local_gpus = 3,
                               .meeting = "node7:4000",
                               .run = "8f14e45f",
                               .timeout_ns = 90 * NS_PER_S};

START_TEST(a_place_is_read_as_it_was_written)
{
    RankPlace read;
    Status status;
    rank_place_write(&good);
    ck_assert(rank_place_is_told());
    ck_assert(rank_place_read(&read, &status));
    ck_assert(read.rank == 2 && read.ranks == 4 && read.local_rank == 0 && read.local_ranks == 2);
    ck_assert_int_eq(read.local_gpus, 3);
    ck_assert_str_eq(read.meeting, "node7:4000");
    ck_assert_str_eq(read.run, "8f14e45f");
    ck_assert(read.timeout_ns == 90 * NS_PER_S);
}
END_TEST

START_TEST(what_need_not_be_said_has_defaults)
{
    RankPlace read;
    Status status;
    rank_place_write(&good);
    unsetenv("TRAINYARD_MEET_TIMEOUT");
    unsetenv("TRAINYARD_LOCAL_GPUS");
    ck_assert(rank_place_read(&read, &status));
    ck_assert(read.timeout_ns == 60 * NS_PER_S);
    ck_assert_int_eq(read.local_gpus, 0);
}
END_TEST

START_TEST(a_process_alone_is_told_nothing)
{
    unsetenv("TRAINYARD_RANKS");
    ck_assert(!rank_place_is_told());
    setenv("TRAINYARD_RANKS", "1", 1);
    ck_assert(!rank_place_is_told());
    setenv("TRAINYARD_RANKS", "many", 1); // said wrongly: not to be passed over
    ck_assert(rank_place_is_told());
}
END_TEST

START_TEST(a_wrong_variable_is_named)
{
    static const struct {
        const char *variable, *value, *message;
    } rows[] = {
        {"TRAINYARD_RANKS", "1025", "is \"1025\", expected a whole number from 1 to 1024"},
        {"TRAINYARD_RANKS", "0x4", "is \"0x4\", expected a whole number from 1 to 1024"},
        {"TRAINYARD_RANK", "4", "is \"4\", expected a whole number from 0 to 3"},
        {"TRAINYARD_RANK", "", "is not set"},
        {"TRAINYARD_LOCAL_RANKS", "5", "is \"5\", expected a whole number from 1 to 4"},
        {"TRAINYARD_LOCAL_RANK", "2", "is \"2\", expected a whole number from 0 to 1"},
        {"TRAINYARD_LOCAL_RANK", "99999999999", "is \"99999999999\", expected a whole number"},
        {"TRAINYARD_MEET", NULL, "is not set"},
        {"TRAINYARD_RUN", "a b", "expected at most 63 letters"},
        {"TRAINYARD_MEET_TIMEOUT", "soon", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        RankPlace read;
        Status status = {0};
        rank_place_write(&good);
        if (rows[i].value)
            setenv(rows[i].variable, rows[i].value, 1);
        else
            unsetenv(rows[i].variable);
        ck_assert_msg(!rank_place_read(&read, &status), "row %zu", i);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        ck_assert_str_eq(status.at.source, rows[i].variable);
        ck_assert_msg(strstr(status.message, rows[i].message) != NULL, "row %zu: %s", i,
                      status.message);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rank place");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_place_is_read_as_it_was_written);
    tcase_add_test(tests, what_need_not_be_said_has_defaults);
    tcase_add_test(tests, a_process_alone_is_told_nothing);
    tcase_add_test(tests, a_wrong_variable_is_named);
    suite_add_tcase(suite, tests);
    return suite;
}

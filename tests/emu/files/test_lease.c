/* emu/files/lease.h: who may do what to a lease, by its state. */
#include <check.h>
#include <string.h>

#include "emu/files/lease.h"
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

static const char first[] = "00000000-0000-0000-0000-00000000000a";
static const char second[] = "00000000-0000-0000-0000-00000000000b";
enum { NOW = 1000000, SECOND = 1000 };

/* A lease of `first` in one of the states, at NOW. */
static Lease lease_in(LeaseState state)
{
    Lease lease = {.duration_ms = 15 * SECOND, .ends_ms = INT64_MAX, .breaks_ms = INT64_MAX};
    if (state != LEASE_AVAILABLE)
        memcpy(lease.id, first, sizeof first);
    if (state == LEASE_LEASED)
        lease.ends_ms = NOW + 15 * SECOND;
    if (state == LEASE_EXPIRED)
        lease.ends_ms = NOW;
    if (state == LEASE_BREAKING)
        lease.breaks_ms = NOW + 10 * SECOND;
    if (state == LEASE_BROKEN)
        lease.breaks_ms = NOW;
    ck_assert_int_eq(lease_state(&lease, NOW), state);
    return lease;
}

typedef enum {
    ACQUIRE_A,
    ACQUIRE_B,
    RENEW_A,
    RENEW_B,
    CHANGE_A,
    CHANGE_B,
    RELEASE_A,
    RELEASE_B,
    BREAK_NOW,
    ACTION_COUNT
} Action;

static AzureError act(Lease *lease, Action action)
{
    int64_t left_s;
    switch (action) {
    case ACQUIRE_A:
        return lease_acquire(lease, first, 15 * SECOND, NOW);
    case ACQUIRE_B:
        return lease_acquire(lease, second, 15 * SECOND, NOW);
    case RENEW_A:
        return lease_renew(lease, first, NOW);
    case RENEW_B:
        return lease_renew(lease, second, NOW);
    case CHANGE_A:
        return lease_change(lease, first, second, NOW);
    case CHANGE_B:
        return lease_change(lease, second, "00000000-0000-0000-0000-00000000000c", NOW);
    case RELEASE_A:
        return lease_release(lease, first);
    case RELEASE_B:
        return lease_release(lease, second);
    case BREAK_NOW:
        return lease_break(lease, 0, NOW, &left_s);
    case ACTION_COUNT:
        break;
    }
    return AZURE_OK;
}

START_TEST(each_state_allows_the_documented_operations)
{
    // What is left after the action, or NONE where it is refused (409).
    enum { NONE = LEASE_STATE_COUNT };
#define AVAILABLE LEASE_AVAILABLE
#define LEASED LEASE_LEASED
#define BROKEN LEASE_BROKEN
    static const int after[ACTION_COUNT][LEASE_STATE_COUNT] = {
        /*              available leased     expired    breaking   broken */
        [ACQUIRE_A] = {LEASED, LEASED, LEASED, NONE, LEASED},
        [ACQUIRE_B] = {LEASED, NONE, LEASED, NONE, LEASED},
        [RENEW_A] = {NONE, LEASED, LEASED, NONE, NONE},
        [RENEW_B] = {NONE, NONE, NONE, NONE, NONE},
        [CHANGE_A] = {NONE, LEASED, NONE, NONE, NONE},
        [CHANGE_B] = {NONE, NONE, NONE, NONE, NONE},
        [RELEASE_A] = {NONE, AVAILABLE, AVAILABLE, AVAILABLE, AVAILABLE},
        [RELEASE_B] = {NONE, NONE, NONE, NONE, NONE},
        [BREAK_NOW] = {NONE, BROKEN, BROKEN, BROKEN, BROKEN},
    };
#undef AVAILABLE
#undef LEASED
#undef BROKEN
    for (int action = 0; action < ACTION_COUNT; action++)
        for (int state = 0; state < LEASE_STATE_COUNT; state++) {
            Lease lease = lease_in((LeaseState)state);
            const AzureError error = act(&lease, (Action)action);
            const int found = error != AZURE_OK ? NONE : (int)lease_state(&lease, NOW);
            ck_assert_msg(found == after[action][state], "action %d on %s: %s", action,
                          lease_state_name((LeaseState)state),
                          error != AZURE_OK ? azure_error(error)->code : "done");
        }
}
END_TEST

START_TEST(a_lease_holds_for_its_time)
{
    Lease lease = {0};
    ck_assert_int_eq(lease_acquire(&lease, first, 15 * SECOND, NOW), AZURE_OK);
    ck_assert(lease_is_locked(&lease, NOW + 15 * SECOND - 1));
    ck_assert_int_eq(lease_state(&lease, NOW + 15 * SECOND), LEASE_EXPIRED);
    ck_assert_int_eq(lease_renew(&lease, first, NOW + 20 * SECOND), AZURE_OK);
    ck_assert(lease_is_locked(&lease, NOW + 35 * SECOND - 1));
    ck_assert(!lease_is_locked(&lease, NOW + 35 * SECOND));
    ck_assert_int_eq(lease_acquire(&lease, second, -1, NOW + 40 * SECOND), AZURE_OK);
    ck_assert(lease_is_locked(&lease, INT64_MAX - 1));
}
END_TEST

START_TEST(a_broken_lease_holds_no_longer_than_it_would_have)
{
    static const struct {
        int64_t duration_ms, period_ms, left_s;
    } rows[] = {{-1, -1, 0},
                {-1, 60 * SECOND, 60},
                {30 * SECOND, -1, 30},
                {30 * SECOND, 60 * SECOND, 30},
                {30 * SECOND, 10 * SECOND, 10}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Lease lease = {0};
        int64_t left_s;
        ck_assert_int_eq(lease_acquire(&lease, first, rows[i].duration_ms, NOW), AZURE_OK);
        ck_assert_int_eq(lease_break(&lease, rows[i].period_ms, NOW, &left_s), AZURE_OK);
        ck_assert_int_eq(left_s, rows[i].left_s);
        ck_assert_int_eq(lease_is_locked(&lease, NOW), left_s > 0);
        ck_assert(!lease_is_locked(&lease, NOW + left_s * SECOND));
        // Breaking it once more can only make it shorter.
        ck_assert_int_eq(lease_break(&lease, 60 * SECOND, NOW, &left_s), AZURE_OK);
        ck_assert_int_eq(left_s, rows[i].left_s);
    }
}
END_TEST

START_TEST(a_changed_lease_may_be_changed_again_the_same_way)
{
    Lease lease = lease_in(LEASE_LEASED);
    ck_assert_int_eq(lease_change(&lease, first, second, NOW), AZURE_OK);
    ck_assert_str_eq(lease.id, second);
    ck_assert_int_eq(lease_change(&lease, first, second, NOW), AZURE_OK);
    ck_assert_int_ne(lease_change(&lease, first, "00000000-0000-0000-0000-00000000000c", NOW),
                     AZURE_OK);
}
END_TEST

START_TEST(a_lease_reads_back_as_it_was_printed)
{
    for (int state = 0; state < LEASE_STATE_COUNT; state++) {
        const Lease lease = lease_in((LeaseState)state);
        const Lease back = lease_read(arena, lease_print(arena, &lease));
        ck_assert_str_eq(back.id, lease.id);
        ck_assert_int_eq(lease_state(&back, NOW), state);
        if (state != LEASE_AVAILABLE)
            ck_assert_int_eq(back.duration_ms, lease.duration_ms);
    }
}
END_TEST

START_TEST(ids_are_guids)
{
    static const char *const good[] = {
        "00000000-0000-0000-0000-00000000000A", "{00000000-0000-0000-0000-00000000000a}",
        "(00000000-0000-0000-0000-00000000000a)", "0000000000000000000000000000000a"};
    static const char *const bad[] = {"",
                                      "a",
                                      "00000000-0000-0000-0000-00000000000",
                                      "00000000-0000-0000-0000-00000000000g",
                                      "00000000-0000-0000-0000-00000000000aa",
                                      "{00000000-0000-0000-0000-00000000000a",
                                      "{00000000-0000-0000-0000-00000000000a}x",
                                      "00000000+0000-0000-0000-00000000000a"};
    char id[LEASE_ID];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_msg(lease_id_read(good[i], id), "%s", good[i]);
        ck_assert_str_eq(id, first);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!lease_id_read(bad[i], id), "%s", bad[i]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("files_lease");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, each_state_allows_the_documented_operations);
    tcase_add_test(tests, a_lease_holds_for_its_time);
    tcase_add_test(tests, a_broken_lease_holds_no_longer_than_it_would_have);
    tcase_add_test(tests, a_changed_lease_may_be_changed_again_the_same_way);
    tcase_add_test(tests, a_lease_reads_back_as_it_was_printed);
    tcase_add_test(tests, ids_are_guids);
    suite_add_tcase(suite, tests);
    return suite;
}

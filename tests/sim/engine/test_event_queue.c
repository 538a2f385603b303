#include <inttypes.h>
#include <signal.h>

#include "sim/engine/event_queue.h"
#include "sim/engine/rng.h"
#include "tests/support/heap_queue.h"
#include "tests/support/suite.h"

static Arena *run;
static EventQueue *queue;

static void setup(void)
{
    run = arena_create();
    queue = event_queue_create(run);
}

static void teardown(void)
{
    arena_destroy(run);
}

static void push(int64_t at_ns, uint32_t subject)
{
    event_queue_push(queue, (Event){.at_ns = at_ns, .subject = subject});
}

static uint32_t pop_subject(void)
{
    Event event;
    ck_assert(event_queue_pop(queue, &event));
    return event.subject;
}

START_TEST(an_empty_queue_has_nothing_next)
{
    Event event = {.at_ns = 7};
    ck_assert(!event_queue_pop(queue, &event));
    ck_assert_int_eq(event.at_ns, 7);
    ck_assert(event_queue_next_ns(queue) == INT64_MAX);
}
END_TEST

START_TEST(events_are_popped_in_order_of_time)
{
    push(30, 3);
    push(10, 1);
    push(20, 2);
    ck_assert_int_eq(event_queue_next_ns(queue), 10);
    for (uint32_t subject = 1; subject <= 3; subject++)
        ck_assert_uint_eq(pop_subject(), subject);
}
END_TEST

START_TEST(an_event_is_popped_unchanged)
{
    Event in = {.at_ns = INT64_MAX, .kind = 1, .subject = 2, .generation = 3, .detail = UINT32_MAX};
    event_queue_push(queue, in);
    Event out;
    ck_assert(event_queue_pop(queue, &out));
    ck_assert(out.at_ns == in.at_ns);
    ck_assert_uint_eq(out.kind, 1);
    ck_assert_uint_eq(out.subject, 2);
    ck_assert_uint_eq(out.generation, 3);
    ck_assert_uint_eq(out.detail, UINT32_MAX);
}
END_TEST

START_TEST(events_with_equal_times_are_popped_in_the_order_they_were_pushed)
{
    // Far more than any bucket or front of the queue holds at once, some of them pushed while the
    // others are being popped.
    for (uint32_t subject = 0; subject < 1000; subject++)
        push(5000, subject);
    for (uint32_t subject = 0; subject < 3000; subject++) {
        if (subject < 2000)
            push(5000, 1000 + subject);
        ck_assert_int_eq(event_queue_next_ns(queue), 5000);
        ck_assert_uint_eq(pop_subject(), subject);
    }
}
END_TEST

START_TEST(looking_far_ahead_leaves_room_for_earlier_events)
{
    push(100, 0);
    push(1000000000, 2);
    pop_subject();
    ck_assert_int_eq(event_queue_next_ns(queue), 1000000000);
    push(100, 1); // not earlier than the last event popped, so still allowed
    ck_assert_int_eq(event_queue_next_ns(queue), 100);
    ck_assert_uint_eq(pop_subject(), 1);
    ck_assert_uint_eq(pop_subject(), 2);
}
END_TEST

START_TEST(an_event_in_the_past_violates_an_invariant)
{
    push(100, 0);
    pop_subject();
    push(99, 1);
}
END_TEST

/* The time from now to the next event that a test pushes. */
typedef enum { DELAY_SHORT, DELAY_TIES, DELAY_MIXED, DELAY_GROWING, DELAY_COUNT } DelayKind;

static int64_t delay_ns(DelayKind kind, uint64_t word, uint64_t seed)
{
    switch (kind) {
    case DELAY_SHORT:
        return (int64_t)(word % 100);
    case DELAY_TIES: // a grid of few times
        return (int64_t)(word % 5 * 1000);
    case DELAY_MIXED: // from 0 to days, every order of magnitude equally often
        return (int64_t)(word >> 8 >> (8 + word % 48));
    case DELAY_GROWING: // one size per seed
        return (int64_t)(word >> 8 >> (8 + seed % 48));
    case DELAY_COUNT:
        break;
    }
    ck_abort();
}

static bool is_same(const Event *a, const Event *b)
{
    return a->at_ns == b->at_ns && a->subject == b->subject;
}

/* Pushes to and pops from both queues at random, alternating between phases with more pushes and
 * with more pops. True if the queues agree on every event and on the next time. */
static bool agrees_with_heap(uint64_t seed, DelayKind kind)
{
    enum { ACTIONS = 3000 };
    Arena *arena = arena_create();
    EventQueue *tested = event_queue_create(arena);
    HeapQueue *oracle = heap_queue_create(arena, ACTIONS);
    int64_t now_ns = 0;
    bool agrees = true;
    for (uint32_t i = 0; i < ACTIONS && agrees; i++) {
        uint64_t word = rng_word(seed, RNG_IDENTITY, kind, i);
        uint64_t pushes_of_8 = i / 500 % 2 == 0 ? 6 : 2;
        if (word % 8 < pushes_of_8) {
            Event event = {.at_ns = now_ns + delay_ns(kind, word / 8, seed), .subject = i};
            event_queue_push(tested, event);
            heap_queue_push(oracle, event);
        } else {
            int64_t next_ns = event_queue_next_ns(tested);
            Event expected = {.at_ns = INT64_MAX};
            Event event = expected;
            bool has_more = heap_queue_pop(oracle, &expected);
            agrees = event_queue_pop(tested, &event) == has_more && is_same(&event, &expected) &&
                     next_ns == expected.at_ns;
            now_ns = has_more ? event.at_ns : now_ns;
        }
    }
    arena_destroy(arena);
    return agrees;
}

START_TEST(a_queue_agrees_with_a_heap_for_every_kind_of_delay)
{
    for (uint64_t seed = 1; seed <= 100; seed++)
        for (DelayKind kind = DELAY_SHORT; kind < DELAY_COUNT; kind++)
            ck_assert_msg(agrees_with_heap(seed, kind), "seed %" PRIu64 ", delays of kind %d", seed,
                          (int)kind);
}
END_TEST

static bool is_odd(void *context, const Event *event)
{
    (void)context;
    return event->subject % 2 != 0;
}

/* Pushes and pops, removes every remaining odd event, at once or when it is the next, and pops the
 * others. */
static void check_removal(uint64_t seed, DelayKind kind, bool is_at_once)
{
    enum { PUSHES = 2000 };
    Arena *arena = arena_create();
    EventQueue *tested = event_queue_create(arena);
    Event event = {0}, last = {0};
    int64_t even = 0;
    for (uint32_t i = 0; i < PUSHES; i++) {
        uint64_t word = rng_word(seed, RNG_IDENTITY, kind, i);
        event_queue_push(
            tested, (Event){.at_ns = last.at_ns + delay_ns(kind, word / 8, seed), .subject = i});
        even += i % 2 == 0;
        if (word % 8 == 0 && event_queue_pop(tested, &last))
            even -= last.subject % 2 == 0;
    }
    if (is_at_once) {
        event_queue_remove(tested, NULL, is_odd);
        ck_assert(!event_queue_any(tested, NULL, is_odd));
    }
    for (bool is_first = true;; is_first = false, even--) {
        event_queue_remove_next(tested, NULL, is_odd);
        const int64_t next_ns = event_queue_next_ns(tested);
        if (!event_queue_pop(tested, &event))
            break;
        ck_assert_int_eq(event.at_ns, next_ns);
        ck_assert_uint_eq(event.subject % 2, 0);
        ck_assert_int_ge(event.at_ns, last.at_ns);
        if (!is_first && event.at_ns == last.at_ns)
            ck_assert_uint_gt(event.subject, last.subject);
        last = event;
    }
    ck_assert_int_eq(even, 0);
    arena_destroy(arena);
}

START_TEST(removing_events_keeps_the_order_of_the_others)
{
    for (uint64_t seed = 1; seed <= 30; seed++)
        for (DelayKind kind = DELAY_SHORT; kind < DELAY_COUNT; kind++)
            for (int is_at_once = 0; is_at_once < 2; is_at_once++)
                check_removal(seed, kind, is_at_once);
    event_queue_remove(queue, NULL, is_odd); // of an empty queue
    event_queue_remove_next(queue, NULL, is_odd);
    push(5, 1);
    event_queue_remove_next(queue, NULL, is_odd);
    ck_assert_int_eq(event_queue_next_ns(queue), INT64_MAX);
    push(4, 2); // allowed, because no event was popped
    ck_assert_uint_eq(pop_subject(), 2);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("event_queue");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, an_empty_queue_has_nothing_next);
    tcase_add_test(tests, events_are_popped_in_order_of_time);
    tcase_add_test(tests, an_event_is_popped_unchanged);
    tcase_add_test(tests, events_with_equal_times_are_popped_in_the_order_they_were_pushed);
    tcase_add_test(tests, looking_far_ahead_leaves_room_for_earlier_events);
    tcase_add_test_raise_signal(tests, an_event_in_the_past_violates_an_invariant, SIGABRT);
    tcase_add_test(tests, a_queue_agrees_with_a_heap_for_every_kind_of_delay);
    tcase_add_test(tests, removing_events_keeps_the_order_of_the_others);
    suite_add_tcase(suite, tests);
    return suite;
}

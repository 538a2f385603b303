#include <inttypes.h>

#include "sim/engine/end_heap.h"
#include "sim/engine/rng.h"
#include "tests/support/suite.h"

static Arena *run;

static void setup(void)
{
    run = arena_create();
}

static void teardown(void)
{
    arena_destroy(run);
}

START_TEST(the_smallest_key_comes_first_and_ties_by_order)
{
    EndHeap heap = end_heap_create(run);
    ck_assert_ptr_null(end_heap_first(&heap));
    end_heap_put(&heap, 100, 7, 2);
    end_heap_put(&heap, 3, 7, 1);
    end_heap_put(&heap, 0, (EndKey)1 << 100, 0);
    ck_assert_uint_eq(end_heap_first(&heap)->id, 3);
    end_heap_remove(&heap, 3);
    ck_assert_uint_eq(end_heap_first(&heap)->id, 100);
    end_heap_put(&heap, 100, (EndKey)1 << 101, 2); // moved, not added twice
    ck_assert_uint_eq(end_heap_first(&heap)->id, 0);
    ck_assert_int_eq(heap.count, 2);
    ck_assert_ptr_null(end_heap_find(&heap, 3));
    ck_assert_ptr_null(end_heap_find(&heap, 5000));
}
END_TEST

enum { IDS = 60, STEPS = 2000 };

/* After random insertions, moves and removals, the first entry is the one that a search of all
 * entries finds. */
START_TEST(a_heap_agrees_with_a_linear_search)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        EndHeap heap = end_heap_create(run);
        EndKey keys[IDS] = {0};
        uint64_t orders[IDS] = {0};
        bool is_in[IDS] = {false};
        for (uint64_t step = 0; step < STEPS; step++) {
            uint64_t word = rng_word(seed, RNG_IDENTITY, 0, step);
            uint32_t id = (uint32_t)(word >> 40) % IDS;
            if (is_in[id] && word % 3 == 0) {
                end_heap_remove(&heap, id);
                is_in[id] = false;
            } else {
                keys[id] = word >> 8 & 31; // many ties
                orders[id] = is_in[id] ? orders[id] : step;
                is_in[id] = true;
                end_heap_put(&heap, id, keys[id], orders[id]);
            }
            int32_t first = -1, count = 0, found = 0;
            for (int32_t i = 0; i < IDS; i++) {
                count += is_in[i];
                if (is_in[i] && (first < 0 || keys[i] < keys[first] ||
                                 (keys[i] == keys[first] && orders[i] < orders[first])))
                    first = i;
                found += end_heap_find(&heap, (uint32_t)i) != NULL;
            }
            ck_assert_int_eq(heap.count, count);
            ck_assert_int_eq(found, count);
            ck_assert_msg(first < 0 ? end_heap_first(&heap) == NULL
                                    : end_heap_first(&heap)->id == (uint32_t)first,
                          "seed %" PRIu64 ", step %" PRIu64, seed, step);
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("end_heap");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, the_smallest_key_comes_first_and_ties_by_order);
    tcase_add_test(tests, a_heap_agrees_with_a_linear_search);
    suite_add_tcase(suite, tests);
    return suite;
}

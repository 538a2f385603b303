#include "sim/base/heap.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/arena.h"
#include "tests/support/suite.h"

enum { HEAP_BYTES = 64 << 20 };

static void *memory;
static Heap *heap;

static void set_up(void)
{
    memory = aligned_alloc(4096, HEAP_BYTES);
    ck_assert_ptr_nonnull(memory);
    memset(memory, 0, HEAP_BYTES);
    heap = heap_create(memory, HEAP_BYTES);
}

static void tear_down(void)
{
    free(memory);
}

static void collect(void *root)
{
    const HeapRoot roots[] = {{.memory = &root, .bytes = sizeof root}};
    heap_collect(heap, roots, 1);
}

static bool is_filled(const char *block, char with, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (block[i] != with)
            return false;
    return true;
}

static bool is_zero(const char *block, size_t bytes)
{
    return is_filled(block, 0, bytes);
}

START_TEST(blocks_are_zeroed_aligned_and_apart)
{
    for (size_t bytes = 0; bytes < 20000; bytes += 1 + bytes / 7) {
        char *a = heap_alloc(heap, bytes), *b = heap_alloc(heap, bytes);
        ck_assert_uint_eq((uintptr_t)a % 16, 0);
        ck_assert(is_zero(a, bytes) && is_zero(b, bytes));
        memset(a, 1, bytes);
        ck_assert(is_zero(b, bytes));
        memset(b, 1, bytes);
    }
}
END_TEST

START_TEST(what_is_reached_stays_and_the_rest_is_used_again)
{
    char **kept = heap_alloc(heap, 2 * sizeof *kept);
    kept[0] = heap_alloc(heap, 100);
    kept[1] = (char *)heap_alloc(heap, 100000) + 77777; // an address inside keeps the block
    memset(kept[0], 'a', 100);
    *kept[1] = 'b';
    char *lost = heap_alloc(heap, 100);
    memset(lost, 'c', 100);
    lost = NULL;
    collect(kept);
    ck_assert_int_eq(kept[0][99], 'a');
    ck_assert_int_eq(*kept[1], 'b');
    const size_t used = heap_used_bytes(heap), touched = heap_touched_bytes(heap);
    for (int i = 0; i < 1000; i++) {
        char *again = heap_alloc(heap, 100);
        ck_assert(is_zero(again, 100) && again != kept[0]);
        memset(again, 'd', 100);
        char *large = heap_alloc(heap, 50000);
        ck_assert(is_zero(large, 50000));
        memset(large, 'e', 50000);
        again = large = NULL;
        collect(kept);
    }
    ck_assert_uint_eq(heap_used_bytes(heap), used);
    ck_assert_uint_le(heap_touched_bytes(heap), touched + 200000);
}
END_TEST

/* A circle is collected, and a long list needs no deep stack. */
START_TEST(the_kept_root_is_one_of_every_collection)
{
    char *owner = heap_alloc(heap, 100), *other = heap_alloc(heap, 100);
    memset(owner, 1, 100);
    memset(other, 2, 100);
    heap_keep(heap, (HeapRoot){.memory = &owner, .bytes = sizeof owner});
    collect(other);
    ck_assert(is_filled(owner, 1, 100) && is_filled(other, 2, 100));
    heap_collect(heap, NULL, 0);
    ck_assert(is_filled(owner, 1, 100) && is_zero(other, 100));
}
END_TEST

START_TEST(lists_and_circles)
{
    enum { LENGTH = 200000 };
    void **first = heap_alloc(heap, sizeof *first), **at = first;
    for (int i = 0; i < LENGTH; i++, at = *at)
        *at = heap_alloc(heap, sizeof *at);
    *at = first;
    at = NULL;
    collect(first);
    ck_assert_uint_ge(heap_used_bytes(heap), LENGTH * sizeof *first);
    collect(NULL);
    ck_assert_uint_eq(heap_used_bytes(heap), 0);
}
END_TEST

START_TEST(nothing_takes_no_memory)
{
    ck_assert_ptr_nonnull(heap_alloc(heap, 0));
    ck_assert_uint_eq(heap_used_bytes(heap), 0);
}
END_TEST

/* A table of blocks of random sizes, some replaced between collections, against copies outside. */
START_TEST(random_blocks)
{
    enum { ROWS = 500, ROUNDS = 30 };
    static const size_t sizes[] = {1, 16, 40, 100, 333, 1000, 2000, 4096, 4097, 30000};
    char **rows = heap_alloc(heap, ROWS * sizeof *rows);
    size_t bytes[ROWS] = {0};
    char fill[ROWS] = {0};
    srand(7);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < ROWS / 2; i++) {
            const int row = rand() % ROWS;
            bytes[row] = sizes[(size_t)rand() % (sizeof sizes / sizeof *sizes)];
            rows[row] = heap_alloc(heap, bytes[row]);
            ck_assert(is_zero(rows[row], bytes[row]));
            fill[row] = (char)(1 + rand() % 100);
            memset(rows[row], fill[row], bytes[row]);
        }
        collect(rows);
        for (int row = 0; row < ROWS; row++)
            ck_assert(is_filled(rows[row], fill[row], bytes[row]));
    }
    ck_assert_uint_lt(heap_touched_bytes(heap), HEAP_BYTES / 2);
}
END_TEST

START_TEST(an_arena_of_the_heap_frees_by_collection_alone)
{
    Arena *arena = arena_of_heap(heap);
    const ArenaMark mark = arena_mark(arena);
    char *text = arena_strdup(arena, "kept");
    arena_rewind(arena, mark);
    arena_reset(arena);
    char **holder = ARENA_NEW(arena, char *);
    *holder = text;
    for (int i = 0; i < 1000; i++)
        arena_printf(arena, "number %d", i);
    ck_assert(arena_heap(arena) == heap && arena_heap(arena_create_beside(arena)) == heap);
    arena_destroy(arena);
    collect(holder);
    ck_assert_str_eq(text, "kept");
    ck_assert_uint_lt(heap_used_bytes(heap), 100);
}
END_TEST

START_TEST(is_due_once_there_may_be_much_to_free)
{
    ck_assert(!heap_is_due(heap));
    for (int i = 0; i < 3000; i++)
        heap_alloc(heap, 1000);
    ck_assert(heap_is_due(heap));
    collect(NULL);
    ck_assert(!heap_is_due(heap));
}
END_TEST

/* The parts, copied to memory of zeros at the same address, are the whole heap. */
START_TEST(the_parts_are_all_that_is_not_zero)
{
    enum { BLOCKS = 3000 };
    void **root = heap_alloc(heap, BLOCKS * sizeof *root);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        const size_t bytes = 16 + i * 37 % 9000;
        void *block = heap_alloc(heap, bytes);
        memset(block, 1 + (int)(i % 250), bytes);
        root[i] = i % 4 == 0 ? block : NULL;
    }
    collect(root);
    heap_keep(heap, (HeapRoot){.memory = root, .bytes = BLOCKS * sizeof *root});
    char *before = malloc(HEAP_BYTES), *written = malloc(HEAP_BYTES);
    memcpy(before, memory, HEAP_BYTES);
    size_t length = 0, head_bytes = 0;
    HeapRoot part;
    for (uint32_t at = 0; heap_next_part(heap, &at, &part); length += part.bytes) {
        head_bytes = head_bytes > 0 ? head_bytes : part.bytes;
        memcpy(written + length, part.memory, part.bytes);
    }
    ck_assert_uint_lt(length, heap_touched_bytes(heap) / 2);
    memset(memory, 0, HEAP_BYTES);
    memcpy(memory, written, head_bytes);
    heap = heap_adopt(memory);
    length = 0;
    for (uint32_t at = 0; heap_next_part(heap, &at, &part); length += part.bytes)
        memcpy((void *)part.memory, written + length, part.bytes);
    ck_assert_int_eq(memcmp(memory, before, HEAP_BYTES), 0);
    ck_assert_ptr_eq(heap_kept(heap).memory, root);
    free(before);
    free(written);
}
END_TEST

/* Words that were found, up to `most`. */
typedef struct {
    uintptr_t words[8];
    int count, most;
} Found;

static bool add_found(void *context, uintptr_t word)
{
    Found *found = context;
    found->words[found->count++] = word;
    return found->count < found->most;
}

START_TEST(words_that_are_addresses_of_other_memory_are_found)
{
    const HeapRoot ranges[] = {{(void *)UINT64_C(0x7f0012340000), 100000}, // nothing is read there
                               {(void *)UINT64_C(0x7f0112340000), 5000},
                               {(void *)UINT64_C(0x7f0212340000), 70000}};
    uintptr_t *block = heap_alloc(heap, 400);
    Found found = {.most = 8};
    block[7] = (uintptr_t)block;
    block[8] = (uintptr_t)ranges[0].memory - 1;
    block[9] = (uintptr_t)ranges[2].memory + ranges[2].bytes;
    ck_assert(heap_each_word_in(heap, ranges, 3, &found, add_found));
    ck_assert_int_eq(found.count, 0);
    for (int i = 0; i < 3; i++)
        block[20 + i] = (uintptr_t)ranges[i].memory + (i == 0 ? 0 : ranges[i].bytes - 1);
    ck_assert(heap_each_word_in(heap, ranges, 3, &found, add_found));
    ck_assert_int_eq(found.count, 3);
    ck_assert_mem_eq(found.words, &block[20], 3 * sizeof *block);
    found = (Found){.most = 2};
    ck_assert(!heap_each_word_in(heap, ranges, 3, &found, add_found));
    ck_assert_int_eq(found.count, 2);
}
END_TEST

Suite *test_suite(void)
{
    TCase *cases = tcase_create("heap");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, blocks_are_zeroed_aligned_and_apart);
    tcase_add_test(cases, what_is_reached_stays_and_the_rest_is_used_again);
    tcase_add_test(cases, the_kept_root_is_one_of_every_collection);
    tcase_add_test(cases, lists_and_circles);
    tcase_add_test(cases, nothing_takes_no_memory);
    tcase_add_test(cases, random_blocks);
    tcase_add_test(cases, an_arena_of_the_heap_frees_by_collection_alone);
    tcase_add_test(cases, the_parts_are_all_that_is_not_zero);
    tcase_add_test(cases, words_that_are_addresses_of_other_memory_are_found);
    tcase_add_test(cases, is_due_once_there_may_be_much_to_free);
    Suite *suite = suite_create("heap");
    suite_add_tcase(suite, cases);
    return suite;
}

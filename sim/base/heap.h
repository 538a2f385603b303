/* A heap that finds the memory which nothing uses any more: for worlds that live long, in which
 * entities come and go.
 *
 * A conservative collector that marks and sweeps (Boehm and Weiser, "Garbage collection in an
 * uncooperative environment", Software: Practice and Experience 18(9), 1988). Every aligned word
 * that holds an address in a block keeps that block, whether it is a pointer or a number that looks
 * like one; blocks that no kept block and no root refers to are cleared and used again. So code
 * that allocates from an arena of the heap (arena_of_heap) frees nothing, and no pointer can
 * dangle. Deleted entities become free as soon as no table leads to them.
 *
 * Blocks do not move, and nothing that the heap does depends on time or on addresses outside its
 * memory: two heaps at the same address that were used alike have the same bytes. */
#ifndef SIM_BASE_HEAP_H
#define SIM_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Heap Heap;

/* A heap in `memory`, which is zeroed, aligned to 4 KiB and outlives it. Its memory is touched from
 * the front when it is needed, so that `bytes` may be address space that is only reserved. */
Heap *heap_create(void *memory, size_t bytes);

/* `bytes` zeroed bytes, aligned for any type; an address without memory for 0. Out of memory ends
 * the program. */
void *heap_alloc(Heap *heap, size_t bytes);

/* Memory outside the heap whose words keep blocks. */
typedef struct {
    const void *memory; /* aligned for pointers */
    size_t bytes;
} HeapRoot;

/* A root of every collection from now on, such as the owner of the heap; it replaces the last one.
 */
void heap_keep(Heap *heap, HeapRoot root);
/* Frees all blocks that neither `roots` nor the root of heap_keep lead to. The caller has no other
 * pointer into the heap: not on the stack, and not in other memory. */
void heap_collect(Heap *heap, const HeapRoot *roots, int32_t root_count);
/* Whether so much was allocated since the last collection that another is worth its time: the cost
 * for each allocated byte is bounded, and the garbage is at most an eighth of the kept bytes, or 2
 * MiB.
 */
bool heap_is_due(const Heap *heap);

/* The root of heap_keep; its memory is NULL before. */
HeapRoot heap_kept(const Heap *heap);

/* --- Its image: written part by part, and read back to the same address, also by a later process.
 * --- */

/* Gives the next part of its memory; all the rest is zero. `*at` begins as 0. The first part, the
 * head, has the addresses of the others. False after the last one. */
bool heap_next_part(const Heap *heap, uint32_t *at, HeapRoot *part);
/* The heap whose head was read back to `memory`; the other parts are read back next. */
Heap *heap_adopt(void *memory);
/* Calls `found` with each word in a block that holds an address in one of `ranges`, which are in
 * rising order, until it returns false. Returns whether all calls returned true. */
bool heap_each_word_in(const Heap *heap, const HeapRoot *ranges, int32_t range_count, void *context,
                       bool (*found)(void *context, uintptr_t word));

/* Bytes in blocks: those that the last collection kept, and all since. */
size_t heap_used_bytes(const Heap *heap);
/* The length of the used front part of its memory. */
size_t heap_touched_bytes(const Heap *heap);

#endif

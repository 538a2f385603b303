#include "sim/base/heap.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/memory.h"

/* Memory is divided into pages. A page has blocks of one size, or is part of a run of pages for one
 * large block. The sizes are those that fill a page 1, 2, 3, ... times, so a block wastes at most a
 * seventh of its size above 512 bytes and less below. */
enum {
    PAGE_BYTES = 4096,
    BLOCK_ALIGNMENT = 16,
    BLOCKS_MAX = PAGE_BYTES / BLOCK_ALIGNMENT,
    WORD_BITS = 64,
    PAGE_WORDS = BLOCKS_MAX / WORD_BITS,
    CLASSES_MAX = 64,
};

typedef enum { PAGE_FREE, PAGE_OF_BLOCKS, PAGE_OF_RUN, PAGE_IN_RUN } PageKind;

typedef struct {
    uint64_t used[PAGE_WORDS];   /* a bit for each block; of a run the first bit */
    uint64_t marked[PAGE_WORDS]; /* those that the present collection has reached */
    uint32_t kind;
    uint32_t block_bytes; /* of PAGE_OF_BLOCKS */
    uint32_t head;        /* of PAGE_IN_RUN: the run's first page; of PAGE_OF_RUN: its length */
    uint32_t next;        /* the next page of its class with free blocks; NO_PAGE */
} Page;

#define NO_PAGE UINT32_MAX

struct Heap {
    char *blocks;        /* the first page */
    uint32_t page_max;   /* pages that there is room for */
    uint32_t page_count; /* touched so far */
    uint32_t free_count; /* of them, free */
    uint32_t search_at;  /* where the search for free pages continues */
    int32_t class_count;
    size_t used_bytes;
    size_t allocated_bytes; /* since the last collection */
    HeapRoot kept;
    uint32_t class_bytes[CLASSES_MAX];
    uint32_t open[CLASSES_MAX];       /* by class, pages with free blocks; NO_PAGE */
    uint8_t class_of[BLOCKS_MAX + 1]; /* [bytes / BLOCK_ALIGNMENT, rounded up] */
    Page pages[];
};

/* --- Life --- */

/* Sizes in rising order, without those that differ by less than one alignment. */
static void make_classes(Heap *heap)
{
    uint32_t last = 0;
    for (uint32_t each = BLOCKS_MAX; each > 0; each--) {
        const uint32_t bytes = PAGE_BYTES / each / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
        const bool is_last_of_size =
            each == 1 || PAGE_BYTES / (each - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT > bytes;
        if (!is_last_of_size)
            continue;
        invariant(heap->class_count < CLASSES_MAX);
        for (uint32_t units = last / BLOCK_ALIGNMENT + 1; units <= bytes / BLOCK_ALIGNMENT; units++)
            heap->class_of[units] = (uint8_t)heap->class_count;
        heap->open[heap->class_count] = NO_PAGE;
        heap->class_bytes[heap->class_count++] = bytes;
        last = bytes;
    }
}

Heap *heap_create(void *memory, size_t bytes)
{
    Heap *heap = memory;
    invariant((uintptr_t)memory % PAGE_BYTES == 0);
    const size_t pages = (bytes - sizeof *heap) / (PAGE_BYTES + sizeof(Page));
    invariant(pages > 1 && pages < NO_PAGE);
    heap->page_max = (uint32_t)pages - 1; // one is lost to alignment
    const size_t head = sizeof *heap + heap->page_max * sizeof(Page);
    heap->blocks = (char *)memory + (head + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    make_classes(heap);
    return heap;
}

size_t heap_used_bytes(const Heap *heap)
{
    return heap->used_bytes;
}

size_t heap_touched_bytes(const Heap *heap)
{
    return (size_t)(heap->blocks - (const char *)heap) + (size_t)heap->page_count * PAGE_BYTES;
}

static char *page_memory(const Heap *heap, uint32_t page)
{
    return heap->blocks + (size_t)page * PAGE_BYTES;
}

/* --- Pages --- */

/* The first of `count` free pages in a row, searched from `search_at`; NO_PAGE: there are none. */
static uint32_t find_free(Heap *heap, uint32_t count)
{
    uint32_t run = 0;
    for (uint32_t page = heap->search_at; page < heap->page_count; page++) {
        run = heap->pages[page].kind == PAGE_FREE ? run + 1 : 0;
        if (run == count) {
            heap->search_at = page + 1;
            return page + 1 - count;
        }
    }
    if (count == 1) // no page is free there; after a search for several some may be
        heap->search_at = heap->page_count;
    return NO_PAGE;
}

static uint32_t take_pages(Heap *heap, uint32_t count)
{
    uint32_t page = NO_PAGE;
    if (heap->free_count >= count && heap->search_at < heap->page_count)
        page = find_free(heap, count);
    if (page != NO_PAGE) {
        heap->free_count -= count;
        return page;
    }
    if (count > heap->page_max - heap->page_count)
        memory_exhausted();
    page = heap->page_count;
    heap->page_count += count;
    return page;
}

static void *alloc_run(Heap *heap, size_t bytes)
{
    const size_t count = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    if (count > heap->page_max)
        memory_exhausted();
    const uint32_t first = take_pages(heap, (uint32_t)count);
    heap->pages[first] =
        (Page){.used = {1}, .kind = PAGE_OF_RUN, .head = (uint32_t)count, .next = NO_PAGE};
    for (uint32_t page = first + 1; page < first + count; page++)
        heap->pages[page] = (Page){.kind = PAGE_IN_RUN, .head = first, .next = NO_PAGE};
    heap->used_bytes += count * PAGE_BYTES;
    heap->allocated_bytes += count * PAGE_BYTES;
    return page_memory(heap, first);
}

/* --- Blocks --- */

static uint32_t blocks_of(const Page *page)
{
    return PAGE_BYTES / page->block_bytes;
}

/* The bits of `word` that stand for blocks of a page with `blocks` blocks. */
static uint64_t word_mask(uint32_t blocks, uint32_t word)
{
    const uint32_t left = blocks > word * WORD_BITS ? blocks - word * WORD_BITS : 0;
    return left >= WORD_BITS ? UINT64_MAX : (UINT64_C(1) << left) - 1;
}

/* Takes a free block of the page; NULL: it is full. */
static char *take_block(const Heap *heap, uint32_t index)
{
    Page *page = (Page *)&heap->pages[index];
    const uint32_t blocks = blocks_of(page);
    for (uint32_t word = 0; word * WORD_BITS < blocks; word++) {
        const uint64_t free_bits = ~page->used[word] & word_mask(blocks, word);
        if (free_bits == 0)
            continue;
        const uint32_t bit = (uint32_t)__builtin_ctzll(free_bits);
        page->used[word] |= UINT64_C(1) << bit;
        return page_memory(heap, index) + (word * WORD_BITS + bit) * page->block_bytes;
    }
    return NULL;
}

static void open_page(Heap *heap, uint32_t class)
{
    const uint32_t index = take_pages(heap, 1);
    heap->pages[index] =
        (Page){.kind = PAGE_OF_BLOCKS, .block_bytes = heap->class_bytes[class], .next = NO_PAGE};
    heap->open[class] = index;
}

void *heap_alloc(Heap *heap, size_t bytes)
{
    if (bytes > PAGE_BYTES)
        return alloc_run(heap, bytes);
    if (bytes == 0)
        return heap; // an address that holds nothing
    const size_t units = (bytes + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT;
    const uint32_t class = heap->class_of[units];
    heap->used_bytes += heap->class_bytes[class];
    heap->allocated_bytes += heap->class_bytes[class];
    while (heap->open[class] != NO_PAGE) {
        char *block = take_block(heap, heap->open[class]);
        if (block)
            return block;
        heap->open[class] = heap->pages[heap->open[class]].next;
    }
    open_page(heap, class);
    return take_block(heap, heap->open[class]);
}

/* --- Collecting --- */

/* The rests of blocks that were reached, whose words are to be looked at. A block is left for the
 * first block that it leads to, so that a table of many rows takes one place. */
typedef struct {
    HeapRoot *items;
    size_t count, capacity;
} MarkStack;

static void stack_push(MarkStack *stack, const void *memory, size_t bytes)
{
    if (stack->count == stack->capacity) {
        stack->capacity = stack->capacity > 0 ? 2 * stack->capacity : 1024;
        stack->items = memory_resized(stack->items, stack->capacity * sizeof *stack->items);
    }
    stack->items[stack->count++] = (HeapRoot){.memory = memory, .bytes = bytes};
}

/* Marks the block at an address. Whether there is one that was not marked. */
static bool mark(Heap *heap, uintptr_t address, HeapRoot *found)
{
    const uintptr_t offset = address - (uintptr_t)heap->blocks;
    if (offset >= (uintptr_t)heap->page_count * PAGE_BYTES)
        return false;
    uint32_t index = (uint32_t)(offset / PAGE_BYTES), block = 0;
    if (heap->pages[index].kind == PAGE_IN_RUN)
        index = heap->pages[index].head;
    Page *page = &heap->pages[index];
    if (page->kind == PAGE_OF_BLOCKS)
        block = (uint32_t)(offset % PAGE_BYTES) / page->block_bytes;
    const uint64_t bit = UINT64_C(1) << block % WORD_BITS;
    if (block >= BLOCKS_MAX || !(page->used[block / WORD_BITS] & bit) ||
        (page->marked[block / WORD_BITS] & bit))
        return false;
    page->marked[block / WORD_BITS] |= bit;
    const bool is_run = page->kind == PAGE_OF_RUN;
    found->memory = page_memory(heap, index) + (is_run ? 0 : block * page->block_bytes);
    found->bytes = is_run ? (size_t)page->head * PAGE_BYTES : page->block_bytes;
    return true;
}

/* Marks what `block` leads to. */
static void mark_from(Heap *heap, MarkStack *stack, HeapRoot block)
{
    stack_push(stack, block.memory, block.bytes);
    while (stack->count > 0) {
        HeapRoot at = stack->items[--stack->count], found;
        const uintptr_t *word = at.memory, *end = word + at.bytes / sizeof *word;
        while (word < end) {
            if (!mark(heap, *word++, &found))
                continue;
            if (word < end)
                stack_push(stack, word, (size_t)(end - word) * sizeof *word);
            word = found.memory;
            end = word + found.bytes / sizeof *word;
        }
    }
}

static void free_pages(Heap *heap, uint32_t first, uint32_t count)
{
    for (uint32_t page = first; page < first + count; page++)
        heap->pages[page] = (Page){.next = NO_PAGE};
    heap->free_count += count;
}

/* Clears the blocks of the page that were not reached. Returns the bytes of the others. */
static size_t sweep_blocks(Heap *heap, uint32_t index)
{
    Page *page = &heap->pages[index];
    size_t kept = 0;
    const uint32_t blocks = blocks_of(page);
    for (uint32_t word = 0; word * WORD_BITS < blocks; word++) {
        for (uint64_t lost = page->used[word] & ~page->marked[word]; lost; lost &= lost - 1) {
            const uint32_t block = word * WORD_BITS + (uint32_t)__builtin_ctzll(lost);
            memset(page_memory(heap, index) + block * page->block_bytes, 0, page->block_bytes);
        }
        for (uint64_t left = page->marked[word]; left; left &= left - 1)
            kept++;
        page->used[word] = page->marked[word];
        page->marked[word] = 0;
    }
    if (kept == 0) {
        free_pages(heap, index, 1);
    } else if (kept < blocks) {
        const uint32_t class = heap->class_of[page->block_bytes / BLOCK_ALIGNMENT];
        page->next = heap->open[class];
        heap->open[class] = index;
    }
    return kept * (kept > 0 ? page->block_bytes : 0);
}

static size_t sweep_run(Heap *heap, uint32_t first)
{
    Page *page = &heap->pages[first];
    const uint32_t count = page->head;
    if (page->marked[0]) {
        page->marked[0] = 0;
        return (size_t)count * PAGE_BYTES;
    }
    memset(page_memory(heap, first), 0, (size_t)count * PAGE_BYTES);
    free_pages(heap, first, count);
    return 0;
}

static void sweep(Heap *heap)
{
    heap->used_bytes = heap->allocated_bytes = 0;
    heap->search_at = 0;
    for (int32_t class = 0; class < heap->class_count; class ++)
        heap->open[class] = NO_PAGE;
    // From the back, so that the pages at the front are filled first.
    for (uint32_t page = heap->page_count; page-- > 0;)
        if (heap->pages[page].kind == PAGE_OF_BLOCKS)
            heap->used_bytes += sweep_blocks(heap, page);
        else if (heap->pages[page].kind == PAGE_OF_RUN)
            heap->used_bytes += sweep_run(heap, page);
}

void heap_keep(Heap *heap, HeapRoot root)
{
    heap->kept = root;
}

HeapRoot heap_kept(const Heap *heap)
{
    return heap->kept;
}

void heap_collect(Heap *heap, const HeapRoot *roots, int32_t root_count)
{
    MarkStack stack = {.items = NULL};
    if (heap->kept.memory)
        mark_from(heap, &stack, heap->kept);
    for (int32_t i = 0; i < root_count; i++)
        mark_from(heap, &stack, roots[i]);
    free(stack.items);
    sweep(heap);
}

bool heap_is_due(const Heap *heap)
{
    enum { LEAST_BYTES = 2 << 20 };
    const size_t kept = heap->used_bytes - heap->allocated_bytes;
    return heap->allocated_bytes > LEAST_BYTES && heap->allocated_bytes > kept / 8;
}

/* --- Image --- */

static size_t head_bytes(const Heap *heap)
{
    return sizeof *heap + heap->page_count * sizeof(Page);
}

/* The first page from `page` on that is free, or is not. */
static uint32_t next_page(const Heap *heap, uint32_t page, bool is_free)
{
    while (page < heap->page_count && (heap->pages[page].kind == PAGE_FREE) != is_free)
        page++;
    return page;
}

bool heap_next_part(const Heap *heap, uint32_t *at, HeapRoot *part)
{
    if (*at == 0) {
        *at = 1;
        *part = (HeapRoot){.memory = heap, .bytes = head_bytes(heap)};
        return true;
    }
    const uint32_t first = next_page(heap, *at - 1, false);
    const uint32_t end = next_page(heap, first, true);
    *at = end + 1;
    *part =
        (HeapRoot){.memory = page_memory(heap, first), .bytes = (size_t)(end - first) * PAGE_BYTES};
    return end > first;
}

Heap *heap_adopt(void *memory)
{
    return memory;
}

static bool is_in_ranges(uintptr_t word, const HeapRoot *ranges, int32_t count)
{
    while (count > 0) { // a search by halves for the range that may have it
        const int32_t middle = count / 2;
        if (word - (uintptr_t)ranges[middle].memory < ranges[middle].bytes)
            return true;
        if (word >= (uintptr_t)ranges[middle].memory) {
            ranges += middle + 1;
            count -= middle + 1;
        } else {
            count = middle;
        }
    }
    return false;
}

bool heap_each_word_in(const Heap *heap, const HeapRoot *ranges, int32_t range_count, void *context,
                       bool (*found)(void *context, uintptr_t word))
{
    HeapRoot part;
    uint32_t at = 0;
    bool is_head = true;
    for (; heap_next_part(heap, &at, &part); is_head = false) {
        const uintptr_t *word = part.memory;
        const uintptr_t *end = is_head ? word : word + part.bytes / sizeof *word;
        for (; word < end; word++)
            if (is_in_ranges(*word, ranges, range_count) && !found(context, *word))
                return false;
    }
    return true;
}

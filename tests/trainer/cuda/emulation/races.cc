/* Which threads of a kernel access the same memory without an order between them, one of them
 * writing, and which read shared memory that no thread of their block has written.
 *
 * Kernels that are compiled with -fsanitize=thread (trainyard_cuda_judged) call the functions at
 * the end of this file for each access to memory. They are not those of ThreadSanitizer, which
 * knows threads of the processor only. For each byte of GPU memory and of shared memory, the last
 * write and the last reads of two threads in the running kernel are kept, once for bytes that were
 * always accessed together. Accesses have an order
 *
 * - within a thread,
 * - within a block, if a barrier is between them; within a warp, if a __syncwarp is,
 * - between blocks, if the first one was before a fence and an atomic operation that followed it,
 *   and the second one after a fence that followed an atomic operation, with barriers in the blocks
 *   if they are of other threads than the fences.
 *
 * That holds whatever the order is in which the emulation runs threads. Accesses by atomic
 * operations, and of a shuffle or a tensor core, are not judged. */
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tests/trainer/cuda/emulation/fiber.h"
#include "tests/trainer/cuda/emulation/runtime.h"

/* The linker's names for the ends of static data, without constants: __shared__ arrays are there.
 */
extern "C" char data_begin[] __asm__("__data_start") __attribute__((weak));
extern "C" char data_end[] __asm__("_end") __attribute__((weak));

namespace emulation
{

namespace
{

constexpr uint32_t WARP = 32, BLOCK_MAX = 1024;
constexpr uintptr_t PAGE_BYTES = 4096; // page_bytes() is a multiple of it
constexpr int CELL_BITS_MAX = 4;       // an access of 16 bytes is the largest

/* The place of an access in the running kernel. */
struct Moment {
    uint32_t thread; // of the grid, with BLOCK_MAX numbers for each block, from 1 on; 0: no access
    uint16_t barriers, warp_barriers; // that were complete
};

/* The accesses to a few bytes. */
struct Cell {
    Moment write, reads[2]; // of two threads
};

enum class Memory { OTHER, SHARED, DEVICE };

struct Page {
    uint64_t launch; // of which the cells are
    Memory memory;
    int cell_bits;           // a cell has 1 << cell_bits bytes
    std::vector<Cell> cells; // none in OTHER
};

struct CachedPage {
    uintptr_t number;
    Page *page; // null: none
};

/* The fence and the atomic operation of a thread, which order blocks. */
struct Thread {
    bool has_fence, has_atomic; // since the last release or acquisition
    Moment fence;
};

uint64_t launch;
bool runs;
uint32_t block, thread; // `thread`: in its block
uint16_t barriers, warp_barriers[BLOCK_MAX / WARP];
Moment current; // of the running thread
Thread threads[BLOCK_MAX];
std::vector<Moment> released; // by block: all before this moment is visible to others
Moment acquired;              // by the running block: all later moments see what is visible
std::unordered_map<uintptr_t, std::unique_ptr<Page>> &pages =
    *new std::unordered_map<uintptr_t, std::unique_ptr<Page>>; // never destroyed, like fibers
CachedPage cache[1024]; // of the running kernel, by the lowest bits of the number

uint32_t block_of(const Moment &moment)
{
    return (moment.thread - 1) / BLOCK_MAX;
}

uint32_t place_of(const Moment &moment)
{
    return (moment.thread - 1) % BLOCK_MAX;
}

bool is_same(const Moment &a, const Moment &b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* True if `earlier`, of the same block as `later`, comes before it whatever the order of threads.
 */
bool is_before_in_block(const Moment &earlier, const Moment &later)
{
    if (earlier.thread == later.thread || earlier.barriers != later.barriers)
        return true;
    return place_of(earlier) / WARP == place_of(later) / WARP &&
           earlier.warp_barriers != later.warp_barriers;
}

bool is_ordered(const Moment &earlier, const Moment &later, Memory memory)
{
    if (earlier.thread == 0)
        return true;
    if (block_of(earlier) == block_of(later))
        return is_before_in_block(earlier, later);
    const Moment &release = released[block_of(earlier)];
    return memory == Memory::SHARED || // every block has its own
           (release.thread != 0 && is_before_in_block(earlier, release) && acquired.thread != 0 &&
            is_before_in_block(acquired, later));
}

/* --- Memory --- */

Memory memory_of(uintptr_t at)
{
    bool is_inside;
    if (at >= (uintptr_t)data_begin && at < (uintptr_t)data_end)
        return Memory::SHARED;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): only looked up
    return where((const void *)at, 1, &is_inside) == Where::DEVICE ? Memory::DEVICE : Memory::OTHER;
}

/* The page of a number, without accesses of earlier kernels. */
Page *open_page(uintptr_t number)
{
    std::unique_ptr<Page> &page = pages[number];
    if (!page)
        page = std::make_unique<Page>();
    if (page->launch != launch) {
        page->launch = launch;
        page->memory = memory_of(number * PAGE_BYTES);
        page->cell_bits = CELL_BITS_MAX;
        page->cells.assign(page->memory == Memory::OTHER ? 0 : PAGE_BYTES >> CELL_BITS_MAX, Cell());
    }
    return page.get();
}

Page *page_of(uintptr_t at)
{
    const uintptr_t number = at / PAGE_BYTES;
    CachedPage &cached = cache[number % (sizeof cache / sizeof cache[0])];
    if (cached.number != number || cached.page == nullptr)
        cached = {number, open_page(number)};
    return cached.page;
}

/* Divides the cells of a page into smaller ones, which had the same accesses. */
void divide_cells(Page *page, int cell_bits)
{
    const int shift = page->cell_bits - cell_bits;
    std::vector<Cell> cells(PAGE_BYTES >> cell_bits);
    for (size_t i = 0; i < cells.size(); i++)
        cells[i] = page->cells[i >> shift];
    page->cells.swap(cells);
    page->cell_bits = cell_bits;
}

/* --- Accesses --- */

[[noreturn]] void complain(const char *does, const char *complaint, const Moment *other)
{
    static char text[160];
    int length = snprintf(text, sizeof text, "thread %u %s %s", thread, does, complaint);
    if (other != nullptr)
        snprintf(text + length, sizeof text - (size_t)length, " thread %u of block %u",
                 place_of(*other), block_of(*other));
    fail_access(text);
}

/* A second access of the same kind at the same moment has nothing new to judge: an access of
 * another thread in between would have been judged with the first one. */
inline void note_read(Cell *cell, Memory memory)
{
    if (is_same(cell->reads[0], current))
        return;
    if (memory == Memory::SHARED &&
        (cell->write.thread == 0 || block_of(cell->write) != block_of(current)))
        complain("reads", "shared memory that no thread of the block has written", nullptr);
    if (!is_ordered(cell->write, current, memory))
        complain("reads", "without an order what was written by", &cell->write);
    if (cell->reads[0].thread != current.thread)
        cell->reads[1] = cell->reads[0];
    cell->reads[0] = current;
}

inline void note_write(Cell *cell, Memory memory)
{
    if (is_same(cell->write, current))
        return;
    if (!is_ordered(cell->write, current, memory))
        complain("writes", "without an order what was written by", &cell->write);
    for (const Moment &read : cell->reads)
        if (!is_ordered(read, current, memory))
            complain("writes", "without an order what was read by", &read);
    cell->write = current;
}

inline void note(const void *address, size_t bytes, bool writes)
{
    uintptr_t at = (uintptr_t)address;
    if (!runs || at - running_stack.begin < running_stack.bytes || is_of_launch(at))
        return;
    const uintptr_t end = at + bytes;
    while (at < end) {
        Page *const page = page_of(at);
        if (page->memory == Memory::OTHER)
            return;
        const uintptr_t page_end = (at / PAGE_BYTES + 1) * PAGE_BYTES;
        const uintptr_t stop = end < page_end ? end : page_end;
        const int cell_bits = __builtin_ctzll(at | stop | 1u << CELL_BITS_MAX);
        if (cell_bits < page->cell_bits)
            divide_cells(page, cell_bits);
        Cell *cell = &page->cells[at % PAGE_BYTES >> page->cell_bits];
        Cell *const after = cell + ((stop - at) >> page->cell_bits);
        for (; cell < after; cell++)
            if (writes)
                note_write(cell, page->memory);
            else
                note_read(cell, page->memory);
        at = stop;
    }
}

} // namespace

/* --- Events --- */

void races_begin(uint64_t blocks)
{
    launch++;
    memset(cache, 0, sizeof cache);
    released.assign(blocks, Moment());
    runs = true;
}

void races_end()
{
    runs = false;
}

void races_begin_block(uint32_t number)
{
    block = number;
    barriers = 0;
    memset(warp_barriers, 0, sizeof warp_barriers);
    memset(threads, 0, sizeof threads);
    acquired = Moment();
}

void races_set_thread(uint32_t number)
{
    thread = number;
    current = {block * BLOCK_MAX + thread + 1, barriers, warp_barriers[thread / WARP]};
}

void races_barrier()
{
    barriers++;
}

void races_warp_barrier(uint32_t warp)
{
    warp_barriers[warp]++;
}

} // namespace emulation

using namespace emulation;

/* A fence after an atomic operation acquires what others have released by theirs. */
void cuda_emulated_fence()
{
    Thread &own = threads[thread];
    own.has_fence = true;
    own.fence = current;
    if (own.has_atomic)
        acquired = own.fence;
}

/* An atomic operation after a fence releases what was before the fence. */
void cuda_emulated_atomic()
{
    Thread &own = threads[thread];
    if (own.has_fence)
        released[block] = own.fence;
    own.has_atomic = true;
}

/* --- What compilers call in code with -fsanitize=thread --- */

extern "C" {

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the compiler's names
void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
void __tsan_vptr_update(void **address, void *value);
void __tsan_read_range(void *address, size_t bytes);
void __tsan_write_range(void *address, size_t bytes);
void *__tsan_memcpy(void *to, const void *from, size_t bytes);
void *__tsan_memmove(void *to, const void *from, size_t bytes);
void *__tsan_memset(void *to, int value, size_t bytes);

void __tsan_init(void)
{
}

void __tsan_func_entry(void *)
{
}

void __tsan_func_exit(void)
{
}

void __tsan_vptr_update(void **, void *)
{
}

void __tsan_read_range(void *address, size_t bytes)
{
    note(address, bytes, false);
}

void __tsan_write_range(void *address, size_t bytes)
{
    note(address, bytes, true);
}

void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    note(from, bytes, false);
    note(to, bytes, true);
    return memcpy(to, from, bytes);
}

void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    note(from, bytes, false);
    note(to, bytes, true);
    return memmove(to, from, bytes);
}

void *__tsan_memset(void *to, int value, size_t bytes)
{
    note(to, bytes, true);
    return memset(to, value, bytes);
}

#define ACCESS(suffix, bytes, writes)                                                              \
    void __tsan_##suffix(void *address);                                                           \
    void __tsan_##suffix(void *address)                                                            \
    {                                                                                              \
        note(address, bytes, writes);                                                              \
    }
#define ACCESSES(bytes)                                                                            \
    ACCESS(read##bytes, bytes, false)                                                              \
    ACCESS(write##bytes, bytes, true)                                                              \
    ACCESS(unaligned_read##bytes, bytes, false)                                                    \
    ACCESS(unaligned_write##bytes, bytes, true)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
#undef ACCESSES
#undef ACCESS
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
}

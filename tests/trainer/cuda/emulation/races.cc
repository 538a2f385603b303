/* Which threads of a kernel access the same memory without an order between them, one of them
 * writing, and which read shared memory that no thread of their block has written.
 *
 * Kernels that are compiled with -fsanitize=thread (trainyard_cuda_judged) call the functions at
 * the end of this file for each access to memory. They are not those of ThreadSanitizer, which
 * knows threads of the processor only. For each byte of GPU memory and of shared memory, the last
 * write and the last reads of two threads in the running kernel are kept. Accesses have an order
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

/* The place of an access in the running kernel. */
struct Moment {
    uint32_t thread; // of the grid, with BLOCK_MAX numbers for each block, from 1 on; 0: no access
    uint16_t barriers, warp_barriers; // that were complete
};

struct Byte {
    Moment write, reads[2]; // of two threads
};

enum class Memory { OTHER, SHARED, DEVICE };

struct Page {
    uint64_t launch; // of which the bytes are
    Memory memory;
    std::vector<Byte> bytes; // none in OTHER
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
Thread threads[BLOCK_MAX];
std::vector<Moment> released; // by block: all before this moment is visible to others
Moment acquired;              // by the running block: all later moments see what is visible
std::unordered_map<uintptr_t, std::unique_ptr<Page>> &pages =
    *new std::unordered_map<uintptr_t, std::unique_ptr<Page>>; // never destroyed, like fibers
Page *latest_page;
uintptr_t latest_number;

uint32_t block_of(const Moment &moment)
{
    return (moment.thread - 1) / BLOCK_MAX;
}

uint32_t place_of(const Moment &moment)
{
    return (moment.thread - 1) % BLOCK_MAX;
}

Moment this_moment()
{
    return {block * BLOCK_MAX + thread + 1, barriers, warp_barriers[thread / WARP]};
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

/* The page of an address, without accesses of earlier kernels. */
Page &page_of(uintptr_t at)
{
    const uintptr_t number = at / page_bytes();
    if (latest_page != nullptr && latest_number == number && latest_page->launch == launch)
        return *latest_page;
    std::unique_ptr<Page> &page = pages[number];
    if (!page)
        page = std::make_unique<Page>();
    if (page->launch != launch) {
        page->launch = launch;
        page->memory = memory_of(at);
        page->bytes.assign(page->memory == Memory::OTHER ? 0 : page_bytes(), Byte());
    }
    latest_page = page.get();
    latest_number = number;
    return *page;
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

void note_read(Byte *byte, const Moment &at, Memory memory)
{
    if (memory == Memory::SHARED &&
        (byte->write.thread == 0 || block_of(byte->write) != block_of(at)))
        complain("reads", "shared memory that no thread of the block has written", nullptr);
    if (!is_ordered(byte->write, at, memory))
        complain("reads", "without an order what was written by", &byte->write);
    if (byte->reads[0].thread != at.thread)
        byte->reads[1] = byte->reads[0];
    byte->reads[0] = at;
}

void note_write(Byte *byte, const Moment &at, Memory memory)
{
    if (!is_ordered(byte->write, at, memory))
        complain("writes", "without an order what was written by", &byte->write);
    for (const Moment &read : byte->reads)
        if (!is_ordered(read, at, memory))
            complain("writes", "without an order what was read by", &read);
    byte->write = at;
}

void note(const void *address, size_t bytes, bool writes)
{
    if (!runs)
        return;
    const Moment at = this_moment();
    for (uintptr_t place = (uintptr_t)address; place < (uintptr_t)address + bytes; place++) {
        Page &page = page_of(place);
        if (page.memory == Memory::OTHER)
            return;
        if (page.memory == Memory::SHARED && is_of_launch(place))
            return;
        Byte *byte = &page.bytes[place % page_bytes()];
        if (writes)
            note_write(byte, at, page.memory);
        else
            note_read(byte, at, page.memory);
    }
}

} // namespace

/* --- Events --- */

void races_begin(uint64_t blocks)
{
    launch++;
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
    own.fence = this_moment();
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

#define _GNU_SOURCE // MAP_ANONYMOUS, MAP_NORESERVE, MAP_FIXED_NOREPLACE
#include "emu/session/guarded_pages.h"

#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t page_bytes(void)
{
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

bool guarded_pages_add(GuardedPages *guarded, uintptr_t address)
{
    const uint64_t page = address / page_bytes() * page_bytes();
    for (uint64_t i = 0; i < guarded->count; i++)
        if (guarded->pages[i] == page)
            return true;
    if (guarded->count == GUARDED_PAGES_MAX)
        return false;
    guarded->pages[guarded->count++] = page;
    return true;
}

/* Whether the page may get or has other memory. */
static bool is_taken(uint64_t page, const HeapRoot *memory, int32_t memory_count)
{
    for (int32_t i = 0; i < memory_count; i++) {
        const uint64_t first = (uintptr_t)memory[i].memory;
        if (page + page_bytes() > first && page < first + memory[i].bytes)
            return true;
    }
    return false;
}

static bool guard(uint64_t page)
{
    enum { FLAGS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE };
    void *wanted = (void *)page; // NOLINT: an address is what it is
    void *memory = mmap(wanted, page_bytes(), PROT_NONE, FLAGS, -1, 0);
    if (memory != MAP_FAILED && memory != wanted)
        munmap(memory, page_bytes()); // an old kernel takes the address for a wish
    return memory == wanted;
}

static void release(const GuardedPages *guarded, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        munmap((void *)guarded->pages[i], page_bytes()); // NOLINT
}

bool guarded_pages_begin(const GuardedPages *guarded, const HeapRoot *memory, int32_t memory_count,
                         Status *status)
{
    for (uint64_t i = 0; i < guarded->count; i++) {
        if (!is_taken(guarded->pages[i], memory, memory_count) && guard(guarded->pages[i]))
            continue;
        release(guarded, i);
        return status_fail(status, STATUS_CONFLICT, place_in("memory", 0, 0),
                           "the page at 0x%" PRIx64
                           " has memory of this process, which a word in the image would mean",
                           guarded->pages[i]);
    }
    return true;
}

void guarded_pages_end(GuardedPages *guarded)
{
    release(guarded, guarded->count);
    guarded->count = 0;
}

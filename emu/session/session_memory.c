#define _DEFAULT_SOURCE // MAP_ANONYMOUS, MAP_NORESERVE

#include "emu/session/session_memory.h"

#include <sys/mman.h>

#include "sim/base/memory.h"

/* The most that a session may use; less where the system gives less. */
static const size_t most_bytes = (size_t)64 << 30, least_bytes = (size_t)1 << 30;

SessionMemory session_memory_open(void)
{
    for (size_t bytes = most_bytes; bytes >= least_bytes; bytes /= 2) {
        void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            continue;
        Heap *heap = heap_create(memory, bytes);
        return (SessionMemory){.heap = heap, .arena = arena_of_heap(heap), .reserved_bytes = bytes};
    }
    memory_exhausted();
}

void session_memory_close(SessionMemory *memory)
{
    if (memory->heap)
        munmap(memory->heap, memory->reserved_bytes);
    *memory = (SessionMemory){0};
}

#define _GNU_SOURCE // MAP_ANONYMOUS, MAP_NORESERVE, MAP_FIXED_NOREPLACE

#include "emu/session/session_memory.h"

#include <sys/mman.h>

#include "sim/base/memory.h"

/* The most that a session may use; less where the system gives less. */
static const size_t most_bytes = (size_t)64 << 30, least_bytes = (size_t)1 << 30;

/* Far from where programs, libraries, stacks and the memory of sanitizers are. */
static const uintptr_t fixed_address = UINT64_C(0x5c0000000000);

/* Reserves `bytes`, at the fixed address if it is free; NULL. */
static void *reserve(size_t bytes)
{
    enum { FLAGS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };
    void *wanted = (void *)fixed_address; // NOLINT: an address is what it is
    void *memory = mmap(wanted, bytes, PROT_READ | PROT_WRITE, FLAGS | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory == MAP_FAILED)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, FLAGS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

SessionMemory session_memory_reserve(void)
{
    for (size_t bytes = most_bytes; bytes >= least_bytes; bytes /= 2) {
        void *memory = reserve(bytes);
        if (memory)
            return (SessionMemory){.reserved = memory, .reserved_bytes = bytes};
    }
    memory_exhausted();
}

void session_memory_begin(SessionMemory *memory)
{
    memory->heap = heap_create(memory->reserved, memory->reserved_bytes);
    memory->arena = arena_of_heap(memory->heap);
}

void session_memory_close(SessionMemory *memory)
{
    guarded_pages_end(&memory->guarded);
    if (memory->reserved)
        munmap(memory->reserved, memory->reserved_bytes);
    *memory = (SessionMemory){0};
}

#define _DEFAULT_SOURCE // madvise
#include "sim/base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { EXIT_MACHINE = 3 }; // a failure of this machine, as in every verb

enum { PAGE_BYTES = 4096, HUGE_PAGE_BYTES = 2 * 1024 * 1024 };

_Noreturn void memory_exhausted(void)
{
    fputs("trainyard: out of memory\n", stderr);
    _Exit(EXIT_MACHINE); // no atexit handlers: they might allocate too
}

/* Asks the system to back large memory with huge pages: the first use of 512 small pages takes
 * about ten times as long. The advice changes no contents, and a system that cannot follow it
 * ignores it. */
static void advise_huge_pages(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t begin = ((uintptr_t)memory + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    const uintptr_t end = ((uintptr_t)memory + bytes) / PAGE_BYTES * PAGE_BYTES;
    (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)memory, (void)bytes;
#endif
}

void *memory_zeroed(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (!memory)
        memory_exhausted();
    if (bytes >= 2 * (size_t)HUGE_PAGE_BYTES)
        advise_huge_pages(memory, bytes);
    return memory;
}

void *memory_resized(void *memory, size_t bytes)
{
    void *resized = realloc(memory, bytes);
    if (!resized)
        memory_exhausted();
    return resized;
}

#include "sim/base/memory.h"

#include <stdio.h>
#include <stdlib.h>

enum { EXIT_MACHINE = 3 }; // a failure of this machine, as in every verb

_Noreturn void memory_exhausted(void)
{
    fputs("trainyard: out of memory\n", stderr);
    _Exit(EXIT_MACHINE); // no atexit handlers: they might allocate too
}

void *memory_zeroed(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (!memory)
        memory_exhausted();
    return memory;
}

void *memory_resized(void *memory, size_t bytes)
{
    void *resized = realloc(memory, bytes);
    if (!resized)
        memory_exhausted();
    return resized;
}

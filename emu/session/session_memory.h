/* The memory of a session: everything that it holds between requests is in one heap
 * (sim/base/heap.h), so that what is deleted is used again. */
#ifndef EMU_SESSION_MEMORY_H
#define EMU_SESSION_MEMORY_H

#include "sim/base/arena.h"
#include "sim/base/heap.h"

typedef struct {
    Heap *heap;
    Arena *arena; /* of the heap */
    size_t reserved_bytes;
} SessionMemory;

/* Reserves address space, most of which is never used; without it ends the program. */
SessionMemory session_memory_open(void);
void session_memory_close(SessionMemory *memory); /* an empty one is fine */

#endif

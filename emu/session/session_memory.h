/* The memory of a session: everything that it holds between requests is in one heap
 * (sim/base/heap.h), so that what is deleted is used again. */
#ifndef EMU_SESSION_MEMORY_H
#define EMU_SESSION_MEMORY_H

#include "emu/session/guarded_pages.h"
#include "sim/base/arena.h"

typedef struct {
    void *reserved; /* NULL: none */
    size_t reserved_bytes;
    Heap *heap;           /* NULL: it is not begun */
    Arena *arena;         /* of the heap */
    GuardedPages guarded; /* while it is used: session_image.h */
} SessionMemory;

/* Reserves address space, most of which is never used, at the same address in each process where
 * that is free; without any it ends the program. */
SessionMemory session_memory_reserve(void);
/* Begins an empty heap in it. */
void session_memory_begin(SessionMemory *memory);
void session_memory_close(SessionMemory *memory); /* an empty one is fine */

#endif

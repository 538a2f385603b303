/* Memory by lifetime: an arena frees its allocations together, when it is destroyed or rewound.
 *
 * Three arenas cover nearly all of trainyard: the scenario's, the run's, the request's. Allocation
 * never fails: without memory a simulator has no answer to give, so it ends with a message. */
#ifndef SIM_BASE_ARENA_H
#define SIM_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "sim/base/heap.h"

typedef struct Arena Arena;

Arena *arena_create(void);
void arena_destroy(Arena *arena); /* NULL is fine */
/* An arena whose memory is that of `heap`: nothing is freed by destroying, rewinding or resetting
 * it; heap_collect frees the blocks that nothing refers to, the arena too. */
Arena *arena_of_heap(Heap *heap);
Heap *arena_heap(const Arena *arena); /* NULL: it is of none */
/* A new arena of the heap that `arena` is of; an ordinary one if it is of none. */
Arena *arena_create_beside(const Arena *arena);
/* Bytes handed out so far, including those lost to alignment. */
size_t arena_bytes(const Arena *arena);

/* Takes the memory for the next `bytes` bytes from the heap now, in one piece. */
void arena_reserve(Arena *arena, size_t bytes);
/* `bytes` zeroed bytes, aligned for any type. `bytes` may be 0: the address is then valid but not
 * to be read. */
void *arena_alloc(Arena *arena, size_t bytes);
/* Room for `count` elements of `bytes_each`; a product beyond size_t counts as out of memory. */
void *arena_alloc_array(Arena *arena, size_t count, size_t bytes_each);

/* A copy of `length` bytes of `text`, ended by NUL. */
char *arena_strndup(Arena *arena, const char *text, size_t length);
char *arena_strdup(Arena *arena, const char *text);
/* The `count` >= 1 parts with `separator` between them. Names are made for each job and node, and
 * arena_printf takes many times as long. */
enum { ARENA_JOINED_MAX = 4 };
char *arena_join(Arena *arena, const char *const *parts, int32_t count, char separator);
/* "NAME-NUMBER"; `number` >= 0. */
char *arena_numbered(Arena *arena, const char *name, int64_t number);
char *arena_printf(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The fill level of an arena at one moment, so that later allocations can be undone. */
typedef struct {
    const void *chunk;
    size_t used;
} ArenaMark;

ArenaMark arena_mark(const Arena *arena);
/* Frees everything that was allocated since the mark. */
void arena_rewind(Arena *arena, ArenaMark mark);

/* Frees everything, and keeps the memory for later allocations: an arena that is reset between runs
 * of equal size takes memory from the heap only for the first ones. */
void arena_reset(Arena *arena);

#define ARENA_NEW(arena, Type) ((Type *)arena_alloc((arena), sizeof(Type)))
#define ARENA_ARRAY(arena, Type, count)                                                            \
    ((Type *)arena_alloc_array((arena), (size_t)(count), sizeof(Type)))

#endif

#include "sim/base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/memory.h"

/* A block of zeroed memory, handed out from front to back. */
typedef struct Chunk {
    struct Chunk *older;
    size_t capacity;
    size_t used;
    max_align_t memory[]; // aligned for any type
} Chunk;

struct Arena {
    Chunk *newest;
    Heap *heap; // of arena_of_heap: it has no chunks
};

// Chunks double in size up to the largest one, so that few allocations are needed. The first chunk
// is small, so that a short-lived arena costs little: a chunk is zeroed as a whole, and glibc's
// malloc consolidates its free blocks at requests of a KiB or more.
enum { CHUNK_BYTES_MIN = 960, CHUNK_BYTES_MAX = 16 * 1024 * 1024 };

Arena *arena_create(void)
{
    return memory_zeroed(sizeof(Arena));
}

Arena *arena_of_heap(Heap *heap)
{
    Arena *arena = heap_alloc(heap, sizeof *arena);
    arena->heap = heap;
    return arena;
}

Heap *arena_heap(const Arena *arena)
{
    return arena->heap;
}

Arena *arena_create_beside(const Arena *arena)
{
    return arena->heap ? arena_of_heap(arena->heap) : arena_create();
}

void arena_destroy(Arena *arena)
{
    if (!arena || arena->heap)
        return;
    for (Chunk *chunk = arena->newest; chunk;) {
        Chunk *older = chunk->older;
        free(chunk);
        chunk = older;
    }
    free(arena);
}

size_t arena_bytes(const Arena *arena)
{
    if (arena->heap)
        return heap_used_bytes(arena->heap);
    size_t bytes = 0;
    for (const Chunk *chunk = arena->newest; chunk; chunk = chunk->older)
        bytes += chunk->used;
    return bytes;
}

static size_t chunk_capacity(const Arena *arena, size_t bytes)
{
    size_t capacity = CHUNK_BYTES_MIN;
    if (arena->newest && arena->newest->capacity >= CHUNK_BYTES_MIN)
        capacity = 2 * arena->newest->capacity;
    if (capacity > CHUNK_BYTES_MAX)
        capacity = CHUNK_BYTES_MAX;
    return bytes > capacity ? bytes : capacity;
}

static Chunk *chunk_add(Arena *arena, size_t bytes)
{
    size_t capacity = chunk_capacity(arena, bytes);
    Chunk *chunk = memory_zeroed(sizeof(Chunk) + capacity);
    chunk->capacity = capacity;
    chunk->older = arena->newest;
    arena->newest = chunk;
    return chunk;
}

void arena_reserve(Arena *arena, size_t bytes)
{
    const Chunk *chunk = arena->newest;
    if (!arena->heap && (!chunk || chunk->capacity - chunk->used < bytes))
        chunk_add(arena, bytes);
}

static __attribute__((noinline)) void *alloc_beyond(Arena *arena, size_t bytes)
{
    if (arena->heap)
        return heap_alloc(arena->heap, bytes);
    Chunk *chunk = chunk_add(arena, bytes);
    chunk->used = bytes;
    return chunk->memory;
}

void *arena_alloc(Arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        memory_exhausted();
    const size_t alignment = _Alignof(max_align_t);
    size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    Chunk *chunk = arena->newest;
    if (!chunk || chunk->capacity - chunk->used < rounded)
        return alloc_beyond(arena, rounded);
    void *memory = (char *)chunk->memory + chunk->used;
    chunk->used += rounded;
    return memory;
}

ArenaMark arena_mark(const Arena *arena)
{
    const Chunk *chunk = arena->newest;
    return (ArenaMark){.chunk = chunk, .used = chunk ? chunk->used : 0};
}

void arena_rewind(Arena *arena, ArenaMark mark)
{
    while (arena->newest != mark.chunk) {
        Chunk *older = arena->newest->older;
        free(arena->newest);
        arena->newest = older;
    }
    Chunk *chunk = arena->newest;
    if (!chunk)
        return;
    memset((char *)chunk->memory + mark.used, 0,
           chunk->used - mark.used); // zero again, as arena_alloc promises
    chunk->used = mark.used;
}

void arena_reset(Arena *arena)
{
    Chunk *chunk = arena->newest;
    if (!chunk)
        return;
    if (!chunk->older) {
        arena_rewind(arena, (ArenaMark){.chunk = chunk});
        return;
    }
    // One chunk for all, and a half more, so that the following runs find room in it.
    const size_t bytes = arena_bytes(arena);
    arena_rewind(arena, (ArenaMark){0});
    chunk_add(arena, bytes + bytes / 2);
}

char *arena_join(Arena *arena, const char *const *parts, int32_t count, char separator)
{
    size_t lengths[ARENA_JOINED_MAX], length = 0;
    for (int32_t i = 0; i < count; i++)
        length += (lengths[i] = strlen(parts[i])) + 1;
    char *text = arena_alloc(arena, length), *end = text;
    for (int32_t i = 0; i < count; i++) {
        memcpy(end, parts[i], lengths[i]);
        end += lengths[i];
        *end++ = i + 1 < count ? separator : '\0';
    }
    return text;
}

char *arena_numbered(Arena *arena, const char *name, int64_t number)
{
    char digits[24];
    char *digit = digits + sizeof digits;
    invariant(number >= 0);
    *--digit = '\0';
    do {
        *--digit = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return arena_join(arena, (const char *const[]){name, digit}, 2, '-');
}

void *arena_alloc_array(Arena *arena, size_t count, size_t bytes_each)
{
    if (bytes_each > 0 && count > SIZE_MAX / bytes_each)
        memory_exhausted();
    return arena_alloc(arena, count * bytes_each);
}

char *arena_strndup(Arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1); // the NUL is already there
    if (length > 0)
        memcpy(copy, text, length);
    return copy;
}

char *arena_strdup(Arena *arena, const char *text)
{
    return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(Arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    // Most texts are short and need one pass. For the others the first pass gives the length.
    char short_text[256];
    int length = vsnprintf(short_text, sizeof short_text, format, arguments);
    va_end(arguments);
    invariant(length >= 0);
    char *text = arena_alloc(arena, (size_t)length + 1);
    if ((size_t)length < sizeof short_text)
        memcpy(text, short_text, (size_t)length);
    else
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

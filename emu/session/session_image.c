#define _GNU_SOURCE // MAP_POPULATE
#include "emu/session/session_image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/session/program_facts.h"
#include "sim/base/checksum.h"
#include "sim/base/invariant.h"
#include "sim/cli/files.h"

#define IMAGE_MAGIC "trainyard image 2"

typedef struct {
    char magic[24];
    ProgramFacts program;
    uint64_t heap_address, heap_bytes; /* reserved */
    uint64_t head_bytes;               /* of the heap's first part */
    GuardedPages guarded;
} ImageHeader;

static bool make_header(const SessionMemory *memory, ImageHeader *header)
{
    memset(header, 0, sizeof *header);
    memcpy(header->magic, IMAGE_MAGIC, sizeof IMAGE_MAGIC);
    header->heap_address = (uintptr_t)memory->reserved;
    header->heap_bytes = memory->reserved_bytes;
    return program_facts(&header->program);
}

/* --- Files --- */

static bool fail(const char *path, const char *what, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in(path, 0, 0), "%s: %s", what,
                       strerror(errno));
}

/* Maps a whole file for reading; NULL. */
static const char *map_file(int descriptor, int64_t bytes)
{
    void *map = mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0);
    return map == MAP_FAILED ? NULL : map;
}

/* --- Writing --- */

/* The memory of this process, except for the session's. NULL: it is unknown. */
static const HeapRoot *other_memory(const SessionMemory *memory, const ImageHeader *header,
                                    Arena *arena, int32_t *count, Status *status)
{
    const HeapRoot own = {.memory = memory->reserved, .bytes = memory->reserved_bytes};
    const HeapRoot *others = process_memory(arena, &header->program, own, count);
    if (!others)
        status_fail(status, STATUS_CONFLICT, place_in("memory", 0, 0),
                    "the memory of the process is unknown: /proc/self/maps cannot be read");
    return others;
}

static bool guard_word(void *guarded, uintptr_t word)
{
    return guarded_pages_add(guarded, word);
}

/* Lists the pages that words of the session would mean if they were addresses. */
static bool list_guarded(const SessionMemory *memory, ImageHeader *header, Status *status)
{
    Arena *arena = arena_create();
    int32_t count;
    const HeapRoot *others = other_memory(memory, header, arena, &count, status);
    const bool is_listed =
        others && (heap_each_word_in(memory->heap, others, count, &header->guarded, guard_word) ||
                   status_fail(status, STATUS_CONFLICT, place_in("memory", 0, 0),
                               "its words would be addresses in more than %d "
                               "pages outside of the session",
                               GUARDED_PAGES_MAX));
    arena_destroy(arena);
    return is_listed;
}

static bool put_parts(int descriptor, const Heap *heap, ImageHeader *header, int64_t *bytes)
{
    HeapRoot part;
    uint32_t at = 0;
    bool is_there = heap_next_part(heap, &at, &part);
    header->head_bytes = part.bytes;
    bool is_put = file_put(descriptor, header, sizeof *header, FILE_CURRENT_POSITION);
    *bytes = sizeof *header;
    for (; is_put && is_there; is_there = heap_next_part(heap, &at, &part)) {
        is_put = file_put(descriptor, part.memory, part.bytes, FILE_CURRENT_POSITION);
        *bytes += (int64_t)part.bytes;
    }
    return is_put && fsync(descriptor) == 0;
}

/* Computes the checksum from the file, as a reader will see it. */
static bool sum_up(int descriptor, ImageFacts *facts)
{
    const char *map = map_file(descriptor, facts->bytes);
    if (!map)
        return false;
    facts->checksum = checksum_wide(map, (size_t)facts->bytes);
    munmap((void *)map, (size_t)facts->bytes);
    return true;
}

bool session_image_write(const SessionMemory *memory, const char *path, ImageFacts *facts,
                         Status *status)
{
    ImageHeader header;
    if (!make_header(memory, &header))
        return status_fail(status, STATUS_CONFLICT, place_in("program", 0, 0),
                           "it was linked without a build id");
    if (!list_guarded(memory, &header, status))
        return false;
    unlink(path); // a file that is mapped elsewhere must not change
    const int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0)
        return fail(path, "cannot be made", status);
    bool is_written = (put_parts(descriptor, memory->heap, &header, &facts->bytes) &&
                       sum_up(descriptor, facts)) ||
                      fail(path, "cannot be written", status);
    close(descriptor);
    is_written = is_written && file_name_settle(path, status);
    if (!is_written)
        unlink(path);
    return is_written;
}

/* --- Reading --- */

/* The file is this user's, and has the right length. */
static const char *map_image(int descriptor, const char *path, ImageFacts facts, Status *status)
{
    struct stat about;
    if (descriptor < 0 || fstat(descriptor, &about) != 0) {
        fail(path, "cannot be opened", status);
        return NULL;
    }
    const bool is_right = S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
                          (about.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
                          about.st_size == facts.bytes &&
                          facts.bytes > (int64_t)sizeof(ImageHeader);
    const char *map = is_right ? map_file(descriptor, facts.bytes) : NULL;
    if (!is_right)
        status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0),
                    "it is not the file that was written");
    else if (!map)
        fail(path, "cannot be read", status);
    return map;
}

static bool begin_guarding(SessionMemory *memory, const ImageHeader *header, Status *status)
{
    Arena *arena = arena_create();
    int32_t count;
    const HeapRoot *others = other_memory(memory, header, arena, &count, status);
    const bool is_guarded = others && guarded_pages_begin(&header->guarded, others, count, status);
    if (is_guarded)
        memory->guarded = header->guarded;
    arena_destroy(arena);
    return is_guarded;
}

/* Copies the parts to their places. The checksum has shown that they are there. */
static void take_parts(SessionMemory *memory, uint64_t head_bytes, const char *from,
                       const char *end)
{
    uint32_t at = 0;
    HeapRoot part = {.memory = memory->reserved, .bytes = head_bytes};
    do {
        invariant(part.bytes <= (size_t)(end - from));
        memcpy((void *)part.memory, from, part.bytes);
        from += at > 0 ? part.bytes : 0; // the head has the places of all parts, and is the first
    } while (heap_next_part(heap_adopt(memory->reserved), &at, &part));
    memory->heap = heap_adopt(memory->reserved);
    invariant(from == end);
}

static bool take_image(SessionMemory *memory, const char *path, const char *map, ImageFacts facts,
                       Status *status)
{
    ImageHeader own, header;
    if (checksum_wide(map, (size_t)facts.bytes) != facts.checksum)
        return status_fail(status, STATUS_BAD_INPUT, place_in(path, 0, 0),
                           "it is damaged: its checksum differs");
    memcpy(&header, map, sizeof header);
    const bool is_known = make_header(memory, &own);
    own.head_bytes = header.head_bytes;
    own.guarded = header.guarded;
    if (!is_known || memcmp(&own, &header, sizeof own) != 0)
        return status_fail(
            status, STATUS_CONFLICT, place_in(path, 0, 0),
            "another build of the program wrote it, or the program was loaded at another address");
    if (!begin_guarding(memory, &header, status))
        return false;
    take_parts(memory, header.head_bytes, map + sizeof header, map + facts.bytes);
    return true;
}

bool session_image_read(SessionMemory *memory, const char *path, ImageFacts facts, Status *status)
{
    invariant(memory->reserved && !memory->heap);
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const char *map = map_image(descriptor, path, facts, status);
    const bool is_taken = map && take_image(memory, path, map, facts, status);
    if (map)
        munmap((void *)map, (size_t)facts.bytes);
    if (descriptor >= 0)
        close(descriptor);
    return is_taken;
}

/* Private to tests/emu/faults: memory for what is on the disk. A child process shares it, so that
 * its writes, and what a power cut leaves of them, are those of the one disk. */
#define _GNU_SOURCE // MAP_ANONYMOUS, MAP_NORESERVE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/emu/faults/disk_parts.h"

enum { CLASSES = 40, CLASS_LEAST = 6 /* 64 bytes */ };
#define REGION_BYTES ((size_t)8 << 30) /* of addresses */

typedef struct Block Block;
struct Block {
    size_t class; /* it has 2^class bytes with this head */
    Block *next;  /* of the free ones */
};

typedef struct {
    size_t used;
    Block *free[CLASSES];
} Region;

static Region *region;

static Region *open_region(void)
{
    Region *opened = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (opened == MAP_FAILED)
        abort();
    opened->used = sizeof *opened;
    return opened;
}

void *disk_allocate(size_t bytes)
{
    size_t class = CLASS_LEAST;
    if (!region)
        region = open_region();
    while ((size_t)1 << class < bytes + sizeof(Block))
        class ++;
    Block *block = region->free[class];
    if (block) {
        region->free[class] = block->next;
    } else {
        block = (Block *)((char *)region + region->used);
        region->used += (size_t)1 << class;
        if (region->used > REGION_BYTES)
            abort();
    }
    block->class = class;
    return block + 1;
}

void disk_free(void *memory)
{
    if (!memory)
        return;
    Block *block = (Block *)memory - 1;
    block->next = region->free[block->class];
    region->free[block->class] = block;
}

void *disk_grow(void *memory, size_t bytes)
{
    const size_t room = memory ? ((size_t)1 << ((Block *)memory - 1)->class) - sizeof(Block) : 0;
    if (bytes <= room)
        return memory;
    void *grown = disk_allocate(bytes);
    if (memory)
        memcpy(grown, memory, room);
    disk_free(memory);
    return grown;
}

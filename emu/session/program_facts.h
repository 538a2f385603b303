/* The program that runs, and the memory of its process: what decides whether an address that one
 * process has written means the same to another. */
#ifndef EMU_SESSION_PROGRAM_FACTS_H
#define EMU_SESSION_PROGRAM_FACTS_H

#include "sim/base/arena.h"
#include "sim/base/heap.h"

enum { PROGRAM_ID_BYTES = 32 };

typedef struct {
    unsigned char id[PROGRAM_ID_BYTES]; /* the linker's build id, padded with zeros */
    uint64_t address, bytes;            /* of its code and its tables */
} ProgramFacts;

/* False if the program has no build id. */
bool program_facts(ProgramFacts *facts);

/* The memory of this process except the program's and `own`, in rising order: libraries, stacks,
 * the C library's heap, and the room into which the stack may grow. Without the kernel's, which is
 * the same in each process, and what the session cannot mean: mappings of more than 128 MiB (the
 * tables of sanitizers), and the first page of a mapping at a multiple of 4 GiB. The heaps of
 * sanitizers have such addresses, which look like a small number after another.
 * NULL: it is unknown. */
HeapRoot *process_memory(Arena *arena, const ProgramFacts *facts, HeapRoot own, int32_t *count);

#endif

#define _GNU_SOURCE // dl_iterate_phdr
#include "emu/session/program_facts.h"

#include <elf.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "sim/base/array.h"

/* --- The program --- */

/* Finds the build id in a segment of notes: for each note two lengths and a type, then name and
 * contents, both padded to 4 bytes (ELF, "Note Section"). */
static void read_notes(const char *notes, size_t length, ProgramFacts *facts)
{
    enum { ALIGNMENT = 4 };
    while (length >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const void *)notes;
        const size_t name_bytes = (note->n_namesz + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        const size_t id_bytes = (note->n_descsz + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        const size_t bytes = sizeof *note + name_bytes + id_bytes;
        const char *name = notes + sizeof *note;
        if (bytes > length)
            return;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof "GNU" &&
            memcmp(name, "GNU", sizeof "GNU") == 0 && note->n_descsz <= PROGRAM_ID_BYTES)
            memcpy(facts->id, name + name_bytes, note->n_descsz);
        notes += bytes;
        length -= bytes;
    }
}

/* Looks at the first object, which is the program, and at no other. */
static int read_program(struct dl_phdr_info *info, size_t size, void *to)
{
    ProgramFacts *facts = to;
    uint64_t end = 0;
    (void)size;
    facts->address = UINT64_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const uint64_t address = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_NOTE)
            read_notes((const char *)address, segment->p_memsz, facts); // NOLINT
        if (segment->p_type != PT_LOAD)
            continue;
        facts->address = address < facts->address ? address : facts->address;
        end = address + segment->p_memsz > end ? address + segment->p_memsz : end;
    }
    facts->bytes = end - facts->address;
    return 1;
}

bool program_facts(ProgramFacts *facts)
{
    static const unsigned char none[PROGRAM_ID_BYTES];
    *facts = (ProgramFacts){0};
    dl_iterate_phdr(read_program, facts);
    return memcmp(facts->id, none, sizeof none) != 0;
}

/* --- The process --- */

static bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

/* Where the stack may begin that begins at `address` now, but not below `least`. */
static uint64_t stack_room(uint64_t address, uint64_t least)
{
    struct rlimit limit;
    uint64_t room = UINT64_C(64) << 20;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < room)
        room = limit.rlim_cur;
    return room < address - least ? address - room : least;
}

HeapRoot *process_memory(Arena *arena, const ProgramFacts *facts, HeapRoot own, int32_t *count)
{
    const uint64_t most_bytes = UINT64_C(128) << 20;
    const uint64_t region_bytes = UINT64_C(4) << 30, page_bytes = 4096;
    HeapRoot *found = NULL;
    uint32_t found_count = 0, capacity = 0;
    char *line = NULL;
    size_t line_bytes = 0;
    uint64_t end = 0; // of the last mapping
    FILE *file = fopen("/proc/self/maps", "re");
    if (!file)
        return NULL;
    while (getline(&line, &line_bytes, file) > 0) {
        char *rest;
        uint64_t address = strtoull(line, &rest, 16);
        const uint64_t after = end;
        end = *rest == '-' ? strtoull(rest + 1, NULL, 16) : address;
        if (strstr(line, "[stack]"))
            address = stack_room(address, after);
        else if (address % region_bytes == 0)
            address += page_bytes;
        const uint64_t bytes = end - address;
        if (bytes > most_bytes || address > INT64_MAX ||
            overlap(address, bytes, facts->address, facts->bytes) ||
            overlap(address, bytes, (uintptr_t)own.memory, own.bytes))
            continue;
        found = array_room(arena, found, found_count + 1, &capacity, sizeof *found);
        found[found_count++] =
            (HeapRoot){.memory = (const void *)address, .bytes = bytes}; // NOLINT
    }
    free(line);
    fclose(file);
    *count = (int32_t)found_count;
    return found;
}

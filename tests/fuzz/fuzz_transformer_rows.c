/* For any bytes as a table of measured trainings, reading ends with rows that have a predicted
 * step, or with problems at lines. */
#include <math.h>
#include <stdlib.h>

#include "sim/base/invariant.h"
#include "sim/cli/disk_files.h"
#include "sim/scenario/catalog/files.h"
#include "sim/scenario/transformer/measured.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read once: it lives as long as the program. */
static const Catalog *catalog_of(void)
{
    static const Catalog *catalog;
    static Arena *arena;
    if (catalog != NULL)
        return catalog;
    static const char folder[] = TRAINYARD_SOURCE_DIR "/scenarios/catalog";
    arena = arena_create();
    Problems problems = problems_create(arena);
    const CatalogFile files[] = {
        {disk_files, arena_printf(arena, "%s/azure-2018.json", folder)},
        {disk_files, arena_printf(arena, "%s/transformers.json", folder)},
        {disk_files, arena_printf(arena, "%s/transformer_software.json", folder)}};
    catalog = catalog_files_read(arena, files, 3, &problems);
    invariant(catalog != NULL);
    return catalog;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { SIZE_MOST = 1 << 16 };
    if (size > SIZE_MOST)
        return 0;
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    MeasuredTrainings trainings;
    if (!measured_trainings_read(arena, catalog_of(), "fuzz", (const char *)data, size, &trainings,
                                 &problems))
        invariant(problems.count > 0 && problems.items[0].message[0] != '\0');
    for (int32_t i = 0; i < trainings.count; i++) {
        invariant(trainings.items[i].step_s > 0);
        invariant(trainings.items[i].predicted.step_s > 0);
        invariant(isfinite(trainings.items[i].predicted.step_s));
    }
    arena_destroy(arena);
    return 0;
}

/* The sections and entries of a catalogue. Private to sim/scenario/catalog. */
#ifndef SIM_SCENARIO_CATALOG_SECTIONS_H
#define SIM_SCENARIO_CATALOG_SECTIONS_H

#include "sim/scenario/catalog/fields.h"
#include "sim/scenario/catalog/read.h"
#include "sim/scenario/catalog/throughputs.h"

typedef struct {
    const char *name; /* "" in a single section */
    Place at;
    void *item;
    CatalogValue *values[CATALOG_FIELDS_MAX]; /* by field; NULL until a file sets it */
} Entry;

typedef struct {
    int32_t count;
    int32_t capacity;
    Entry **entries;    /* in the order of the files */
    const char **names; /* of the entries, filled when all are known */
} Section;

/* A row that is read once all entries that it may name are known. */
typedef struct {
    const Json *row;
    const Json *sources; /* of its file */
} Row;

struct Catalog {
    Section sections[CATALOG_SECTION_COUNT];
    int32_t row_count;
    Row rows[THROUGHPUTS_MAX];
    Throughputs throughputs;
};
/* The entry of this name, in any case of letters; NULL: none. */
Entry *section_find(const Section *section, const char *name);

/* "vm_sizes/Standard_NC6". */
const char *path_below(Arena *arena, const char *path, const char *name);

/* The checks that need all files, and what one section takes from another. */
void catalog_complete(Arena *arena, Catalog *catalog, Place at, Problems *problems);

#endif

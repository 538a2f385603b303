/* The format of catalogues: the sections, and the values of an entry of each section. */
#ifndef SIM_SCENARIO_CATALOG_FIELDS_H
#define SIM_SCENARIO_CATALOG_FIELDS_H

#include "sim/base/units.h"
#include "sim/scenario/catalog/read.h"
#include "sim/schema/field.h"

enum { CATALOG_FIELDS_MAX = 64 };
/* Value of the member "catalog". */
enum { CATALOG_VERSION = 1 };
/* The members of an entry of "sources": all are required. */
enum { CATALOG_SOURCE_KEY_COUNT = 2 };
extern const char *const catalog_source_keys[CATALOG_SOURCE_KEY_COUNT];

/* A RanksTime in a catalogue. */
typedef struct {
    const char *name; /* "trainyard-mpi over 2 ranks": begins with the name of the exchange */
    const char *exchange;
    RanksTime time;
} ExchangeTime;

typedef struct {
    ObjectType type;   /* its name is the section's; the first member of its structs is the name of
                          the entry, unless `is_single` */
    bool is_single;    /* the section is its only entry */
    bool may_be_empty; /* an entry may be {}: its values are in another section */
} SectionShape;

extern const SectionShape catalog_shapes[CATALOG_SECTION_COUNT];

/* Limits that keep sums and products of a few values inside int64. */
#define CATALOG_DURATION_MOST (400 * NS_PER_DAY)
#define CATALOG_LIFETIME_MOST (100 * NS_PER_YEAR)
#define CATALOG_LIMIT_MOST (50000 * NS_PER_DAY) /* of limits that may be too long to matter */
#define CATALOG_AMOUNT_MOST INT64_C(1000000000000000000)
#define CATALOG_COUNT_MOST 1000000
#define POWER_MOST INT64_C(1000000000) /* a megawatt */
#define QUOTA_VCPUS_MOST 1000000000    /* no limit in practice */

#endif

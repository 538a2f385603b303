/* The catalogue's format: which sections it has, and which values an entry of each. One row feeds
 * reading, checking and explaining. */
#ifndef SIM_SCENARIO_CATALOG_FIELDS_H
#define SIM_SCENARIO_CATALOG_FIELDS_H

#include <stddef.h>

#include "sim/base/units.h"
#include "sim/scenario/catalog/read.h"

typedef enum {
    VALUE_COUNT_32, /* a JSON integer into int32_t; the scalars below fill int64_t */
    VALUE_COUNT,
    VALUE_DURATION,
    VALUE_BYTES,
    VALUE_RATE,
    VALUE_FLOPS,
    VALUE_RATIO, /* parts per million */
    VALUE_MONEY, /* micro-USD */
    VALUE_BOOLEAN,
    VALUE_NAME,
    VALUE_GPU,             /* the name of a gpu, or null */
    VALUE_FRAMEWORK,       /* the name of a framework */
    VALUE_EXCHANGE,        /* the name of an exchange, or null */
    VALUE_JITTER,          /* the name of a jitter */
    VALUE_DURATIONS,       /* Quantiles */
    VALUE_RATIOS,          /* Quantiles */
    VALUE_DISTRIBUTION,    /* Distribution of durations */
    VALUE_RECOVERY,        /* NodeRecovery */
    VALUE_TIMES_BY_COUNT,  /* MeasuredCurve, {"4": "1.2ms", "96": "25ms"} */
    VALUE_TIMES_BY_BYTES,  /* MeasuredCurve, {"1KiB": "2us", "1MiB": "300us"} */
    VALUE_RATIOS_BY_COUNT, /* MeasuredCurve, {"1": "1", "2": "1.04"} */
    VALUE_LEARNING_KNOTS,  /* epochs -> accuracy, into the LearningCurve itself */
    VALUE_LAYERS           /* of a network, and what follows from them, into the NetworkModel */
} ValueKind;

typedef struct {
    const char *name;
    ValueKind kind;
    size_t offset;
    int64_t least; /* of numbers, and of every value of a distribution */
    int64_t most;
} CatalogField;

enum { CATALOG_FIELDS_MAX = 64 };

/* A RanksTime in a catalogue. */
typedef struct {
    const char *name; /* "trainyard-mpi over 2 ranks": begins like the exchange */
    const char *exchange;
    RanksTime time;
} ExchangeTime;

typedef struct {
    const char *name;
    size_t item_size; /* of the struct, whose first member is the name unless `is_single` */
    int32_t field_count;
    const CatalogField *fields;
    bool is_single;    /* the section is itself the one entry */
    bool may_be_empty; /* an entry without any value is one of which another section tells */
} SectionShape;

extern const SectionShape catalog_shapes[CATALOG_SECTION_COUNT];

/* Limits that keep sums and products of a few values inside int64. */
#define CATALOG_DURATION_MOST (400 * NS_PER_DAY)
#define CATALOG_LIFETIME_MOST (36500 * NS_PER_DAY)
#define CATALOG_AMOUNT_MOST INT64_C(1000000000000000000)
#define CATALOG_COUNT_MOST 1000000

#endif

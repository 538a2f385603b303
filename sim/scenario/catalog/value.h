/* One value of a catalogue, from JSON into its place in a struct: exact, with limits. */
#ifndef SIM_SCENARIO_CATALOG_VALUE_H
#define SIM_SCENARIO_CATALOG_VALUE_H

#include "sim/scenario/catalog/fields.h"

/* Writes the value `json` of `field` into `item`, a struct of the field's section. The sections of
 * `catalog` that the value may name must have been read. Tables of knots live in `arena`, names are
 * borrowed from `json`. False, with the place and the expected form in `status`, when the value is
 * not of the field's kind or is outside its limits. */
MUST_CHECK bool catalog_value_read(Arena *arena, const Catalog *catalog, const Field *field,
                                   const Json *json, void *item, Status *status);

/* Reads factors of the hours of the week into `ppm` [HOURS_A_WEEK]: 168 numbers in an array, or 24
 * if all days are alike. */
MUST_CHECK bool hour_factors_read(const Json *json, int64_t *ppm, Status *status);
/* Reads 7 factors, the first of Monday, into `ppm` [DAYS_A_WEEK]. */
MUST_CHECK bool weekday_factors_read(const Json *json, int64_t *ppm, Status *status);

/* Kinds of values that only catalogues have. */
/* Names of entries. */
extern const CustomKind gpu_kind, framework_kind, exchange_kind, jitter_kind, failure_model_kind;
extern const CustomKind durations_kind, ratios_kind, sizes_kind; /* Quantiles */
extern const CustomKind distribution_kind;                       /* Distribution of durations */
/* MeasuredCurves: {"4": "1.2ms", "96": "25ms"}, {"1KiB": "2us", "1MiB": "300us"}, {"1": "1"} */
extern const CustomKind times_by_count_kind, times_by_bytes_kind, ratios_by_count_kind;
extern const CustomKind hour_factors_kind; /* int64_t[HOURS_A_WEEK], in ppm, not all 0 */
extern const CustomKind learning_kind;     /* epochs -> accuracy, into the LearningCurve itself */
extern const CustomKind layers_kind; /* layers and their totals, into the NetworkModel itself */

#endif

/* One value of a catalogue, from JSON into its place in a struct: exact, with limits. */
#ifndef SIM_SCENARIO_CATALOG_VALUE_H
#define SIM_SCENARIO_CATALOG_VALUE_H

#include "sim/scenario/catalog/fields.h"

/* Writes the value `json` of `field` into `item`, a struct of the field's section. `catalog` knows
 * the gpus by now. Tables of knots live in `arena`, names are borrowed from `json`. False, with the
 * place and what was expected in `status`, when the value is not of the field's kind or outside its
 * limits. */
MUST_CHECK bool catalog_value_read(Arena *arena, const Catalog *catalog, const CatalogField *field,
                                   const Json *json, void *item, Status *status);

/* "28%", "1.5": parts per million, exactly. */
MUST_CHECK bool ratio_parse(const char *text, Place at, int64_t *ppm, Status *status);

#endif

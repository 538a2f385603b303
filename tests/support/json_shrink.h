/* Makes a JSON text that shows something smaller: removes items and members, many at a time and
 * then one by one, as long as what is left still shows it (delta debugging; Zeller and Hildebrandt,
 * "Simplifying and isolating failure-inducing input", IEEE TSE 28(2), 2002). */
#ifndef TESTS_SUPPORT_JSON_SHRINK_H
#define TESTS_SUPPORT_JSON_SHRINK_H

#include "sim/json/json.h"

typedef bool JsonShows(void *context, const Json *root);

/* `root` shows it. Asks `shows` at most `asks_max` times. The result lives in `arena`. */
const Json *json_shrink(Arena *arena, const Json *root, JsonShows *shows, void *context,
                        int32_t asks_max);

#endif

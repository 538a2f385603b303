/* Reports the engines that compute the products of each layer, for backends that choose between
 * libraries (`engines` of trainer/compute/backend.h). For other backends nothing is reported. */
#ifndef TRAINER_ENGINES_REPORT_H
#define TRAINER_ENGINES_REPORT_H

#include "sim/base/text.h"
#include "sim/json/json.h"
#include "trainer/compute/backend.h"

/* One line: "Products by (forward, to data, to weights): conv2d_1 cudnn, -, own; ...". */
void engines_print(const Backend *backend, void *model, const Net *net, Text *out);
/* {"conv2d_1": {"forward": "cudnn", "weights": "own", "tried_us": {"forward": {"own": 12.50,
 * "cudnn": 9.75}, ...}}, ...}: the chosen engines, and the time of the fastest way of each engine
 * that was tried and works. NULL: the backend has no engines. */
Json *engines_json(const Backend *backend, void *model, const Net *net, Arena *arena);
#define ENGINES_SCHEMA                                                                             \
    "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"object\", \"properties\": {"    \
    "\"forward\": {\"type\": \"string\"}, \"data\": {\"type\": \"string\"}, "                      \
    "\"weights\": {\"type\": \"string\"}, \"tried_us\": {\"type\": \"object\", "                   \
    "\"additionalProperties\": {\"type\": \"object\", "                                            \
    "\"additionalProperties\": {\"type\": \"number\"}}}}, \"additionalProperties\": false}}"

#endif

/* `trainyard predict --measured`: the model's steps against measured ones. */
#ifndef TOOLS_TRAINYARD_PREDICT_MEASURED_H
#define TOOLS_TRAINYARD_PREDICT_MEASURED_H

#include <stdbool.h>

#include "sim/scenario/catalog/read.h"

/* Predicts the trainings of a table (sim/scenario/transformer/measured.h), and prints
 * their errors by source, or as JSON each training. Returns the exit code. */
int predict_measured(Arena *arena, const Catalog *catalog, const char *path, bool is_json);

#endif

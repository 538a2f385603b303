/* trainyard predict --coverage: how often the stated uncertainty of one GPU's step holds. Groups of
 * estimates share the rows left out, the GPU, the network, the software or the distance of batches.
 */
#ifndef TOOLS_TRAINYARD_PREDICT_COVERAGE_H
#define TOOLS_TRAINYARD_PREDICT_COVERAGE_H

#include "sim/scenario/coverage.h"

void predict_coverage_print(Arena *arena, Throughputs rows, bool is_json);

#endif

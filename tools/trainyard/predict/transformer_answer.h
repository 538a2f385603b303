/* The output of `trainyard predict --json` for a transformer: one table writes it and describes it
 * in `trainyard schema predict-transformer-answer` and in scenarios/FORMAT.md. */
#ifndef TOOLS_TRAINYARD_PREDICT_TRANSFORMER_ANSWER_H
#define TOOLS_TRAINYARD_PREDICT_TRANSFORMER_ANSWER_H

#include "sim/schema/field.h"
#include "tools/trainyard/predict/transformer_basis.h"

/* The training to the end: time and money. */
typedef struct {
    double tokens; /* 0: not asked for */
    double days;
    int64_t dedicated_micro_usd;    /* or PRICE_UNKNOWN */
    int64_t low_priority_micro_usd; /* likewise */
} WholeTraining;

extern const ObjectType transformer_answer_type;

/* In `arena`. */
Json *transformer_answer_json(Arena *arena, const TransformerPrediction *prediction,
                              const WholeTraining *whole, const TransformerBasis *basis);

/* The largest part of the step that is not computing. */
StepPart transformer_largest_wait(const TransformerStep *step);

#endif

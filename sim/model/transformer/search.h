/* All layouts of a training, ranked by the time of a step.
 *
 * A space says which values each choice may have. Every combination is checked against the rules of
 * layout.h, then its memory, then its time. Times are bounded from below first (SCHEDULE_BOUND),
 * and schedules are executed only for layouts that may still be among the best. Layouts of equal
 * time are ranked by memory, then by their order in the space. */
#ifndef SIM_MODEL_TRANSFORMER_SEARCH_H
#define SIM_MODEL_TRANSFORMER_SEARCH_H

#include "sim/model/transformer/memory.h"
#include "sim/model/transformer/step.h"

enum { SPACE_VALUES_MOST = 24, RANKED_MOST = 32 };

/* Values of one choice, in the order in which they are tried. */
typedef struct {
    int32_t count;
    int64_t values[SPACE_VALUES_MOST];
} Choices;

typedef struct {
    Choices tensor, context, pipeline, chunks, sharding, sequence_parallel, recompute, micro_batch;
    Choices expert, divides_experts;
    /* `data` takes the remaining GPUs, or is `data` > 0. */
    int32_t data;
    Precision precision;
    bool has_flash_attention;
} LayoutSpace;

/* Adds a value to the choices; more than SPACE_VALUES_MOST are an error of the caller. */
void choices_add(Choices *choices, int64_t value);

typedef struct {
    TransformerLayout layout;
    TransformerMemory memory; /* of the rank with the most */
    TransformerStep step;
} RankedLayout;

typedef struct {
    int64_t combinations; /* in the space */
    int64_t valid;        /* that keep the rules */
    int64_t fitting;      /* whose memory suffices */
    int32_t count;        /* ranked, at most `most` */
    RankedLayout ranked[RANKED_MOST];
    /* If no layout fits: the one with the least memory. Its step is not computed. */
    bool has_least;
    RankedLayout least;
    const char *problem; /* if none is valid: a rule that the first combination breaks */
} LayoutSearch;

/* Fills `search` with the best `most` <= RANKED_MOST layouts of the space. */
void layouts_search(const TransformerJob *job, const TransformerMachine *machine,
                    const LayoutSpace *space, int32_t most, LayoutSearch *search);

#endif

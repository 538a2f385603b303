/* The steps of an epoch that the backend may make at once: it ends before the next step at which
 * the training itself has something to do. */
#ifndef TRAINER_STEP_SPAN_H
#define TRAINER_STEP_SPAN_H

#include <stdbool.h>
#include <stdint.h>

/* The steps of each epoch that --profile measures. They are few, so that the other steps are not
 * slowed down and the trace stays small. The first step is excluded: it follows an evaluation, or
 * kernels are not loaded yet. */
enum { PROFILED_FIRST = 1, PROFILED_END = 33 };

static inline bool step_is_profiled(int64_t step)
{
    return step >= PROFILED_FIRST && step < PROFILED_END;
}

typedef struct {
    int64_t steps;    /* of an epoch */
    bool has_profile; /* some steps are profiled */
    int64_t
        checkpoint_every; /* a checkpoint is due after so many steps of the training; 0: never */
    int64_t fail_step;    /* a rank is to fail before this step of the training; -1: none */
} StepSpan;

/* The end of the steps from `step` of an epoch on, which is step `iteration` of the training, that
 * are all profiled or all not profiled. Between these steps no rank is to fail, and no checkpoint
 * is due. At most `span->steps`. */
int64_t step_span_end(const StepSpan *span, int64_t iteration, int64_t step);

#endif

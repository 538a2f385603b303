#include "trainer/run/step_span.h"

int64_t step_span_end(const StepSpan *span, int64_t iteration, int64_t step)
{
    const int64_t changes = step < PROFILED_FIRST ? PROFILED_FIRST : PROFILED_END;
    const int64_t fails = span->fail_step - iteration + step;
    const int64_t every = span->checkpoint_every;
    const int64_t due = every > 0 ? step + every - iteration % every : INT64_MAX;
    int64_t end = span->steps;
    if (span->has_profile && step < changes && changes < end)
        end = changes;
    end = due < end ? due : end;
    return step < fails && fails < end ? fails : end;
}

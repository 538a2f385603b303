/* Private to reports/run/figures: how many jobs run and wait over time. */
#include "reports/figure/stack.h"
#include "reports/run/figures/figures.h"
#include "reports/run/figures/palette.h"

enum { BAND_RUNNING, BAND_WAITING, BANDS };

static const Shade bands[BANDS] = {
    [BAND_RUNNING] = {"jobs that run", RGB_JOBS_RUN},
    [BAND_WAITING] = {"jobs that wait", RGB_JOBS_WAIT},
};

static Stack stack_of(Arena *arena, const Facts *facts)
{
    Stack stack = {.bands = bands,
                   .band_count = BANDS,
                   .changes = ARENA_ARRAY(arena, StackChange, 2 * (size_t)facts->job_span_count),
                   .end_ns = facts->run->end_ns};
    for (uint32_t i = 0; i < facts->job_span_count; i++) {
        const JobSpan *span = &facts->job_spans[i];
        const int32_t band = span->is_wait ? BAND_WAITING : BAND_RUNNING;
        stack.changes[stack.change_count++] = (StackChange){span->begin_ns, band, 1};
        stack.changes[stack.change_count++] = (StackChange){span->end_ns, band, -1};
    }
    stack_sort(&stack);
    return stack;
}

void figures_queue(Figures *figures, const Facts *facts)
{
    Figure figure = {
        .section = SECTION_QUEUE, .file = "queue", .title = "Jobs that run and wait", .note = ""};
    if (facts->job_span_count == 0) {
        figure.note = facts_no_rows(facts);
        figures_missing(figures, figure);
        return;
    }
    const Stack stack = stack_of(figures->arena, facts);
    stack_draw(figures, figure, &stack);
}

/* Private to reports/run: how many jobs run and wait over time. */
#include "reports/figure/stack.h"
#include "reports/run/figure_draw.h"
#include "reports/run/figures.h"
#include "reports/run/palette.h"

enum { BAND_RUNNING, BAND_WAITING, BANDS, PARTS = 24 };

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

static void queue_data(Text *out, const Facts *facts, uint32_t subject, FigureLayout layout)
{
    (void)subject;
    Arena *scratch = arena_create();
    const Stack stack = stack_of(scratch, facts);
    stack_print(out, &stack, layout);
    arena_destroy(scratch);
}

void figures_queue(Figures *figures, const Facts *facts)
{
    Figure figure = {.section = SECTION_QUEUE,
                     .file = "queue",
                     .title = "Jobs that run and wait",
                     .note = "",
                     .left = 40,
                     .left_narrow = 40};
    if (facts->job_span_count == 0) {
        figure.note = facts_no_rows(facts);
        figures_missing(figures, figure);
        return;
    }
    const Stack stack = stack_of(figures->arena, facts);
    figure.numbers = stack_numbers(figures->arena, &stack, PARTS);
    figure_draw(figures, figure, "nodes.gp", queue_data, facts, 0, 150);
}

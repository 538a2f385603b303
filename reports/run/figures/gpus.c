/* Private to reports/run/figures: GPUs over time, a plot for each cluster whose jobs ask for GPUs.
 */
#include <stdlib.h>

#include "reports/figure/stack.h"
#include "reports/run/figures/figures.h"
#include "reports/run/figures/palette.h"

enum { BAND_USED, BAND_STRANDED, BAND_FREE, BANDS, CLUSTERS_SHOWN = 6 };

static const Shade bands[BANDS] = {
    [BAND_USED] = {"of jobs", RGB_JOBS_RUN},
    [BAND_STRANDED] = {"free while a job waits", RGB_JOBS_WAIT},
    [BAND_FREE] = {"free", RGB_FREE},
};

/* A change of the counts that the bands depend on. */
typedef struct {
    int64_t at_ns;
    int32_t gpus, used, waiting;
} Step;

static int by_time(const void *left, const void *right)
{
    const Step *a = left, *b = right;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    if (a->gpus != b->gpus)
        return a->gpus < b->gpus ? -1 : 1;
    if (a->used != b->used)
        return a->used < b->used ? -1 : 1;
    return (a->waiting > b->waiting) - (a->waiting < b->waiting);
}

typedef struct {
    Step *items;
    uint32_t count;
} Steps;

static void add_span(Steps *steps, int64_t begin_ns, int64_t end_ns, Step change)
{
    change.at_ns = begin_ns;
    steps->items[steps->count++] = change;
    steps->items[steps->count++] = (Step){end_ns, -change.gpus, -change.used, -change.waiting};
}

/* Nodes offer their GPUs while they are idle or run jobs. A job that has a whole node uses all GPUs
 * of the node. */
static Steps steps_of(Arena *arena, const Facts *facts, uint32_t cluster)
{
    const size_t most = (size_t)facts->span_count + facts->gpu_span_count + facts->job_span_count;
    Steps steps = {.items = ARENA_ARRAY(arena, Step, 2 * most)};
    for (uint32_t i = 0; i < facts->span_count; i++) {
        const NodeSpan *span = &facts->spans[i];
        const bool offers = span->state == NODE_IDLE || span->state == NODE_RUNNING;
        if (!offers || facts->nodes[span->node].cluster != cluster)
            continue;
        const int32_t per_node = facts_gpus_of_node(facts, span->node);
        add_span(&steps, span->begin_ns, span->end_ns,
                 (Step){.gpus = per_node, .used = span->worker != ID_NONE ? per_node : 0});
    }
    for (uint32_t i = 0; i < facts->gpu_span_count; i++) {
        const GpuSpan *span = &facts->gpu_spans[i];
        if (span->node < facts->node_count && facts->nodes[span->node].cluster == cluster)
            add_span(&steps, span->begin_ns, span->end_ns, (Step){.used = span->gpus});
    }
    for (uint32_t i = 0; i < facts->job_span_count; i++) {
        const JobSpan *span = &facts->job_spans[i];
        if (span->is_wait && facts->jobs[span->job].cluster == cluster)
            add_span(&steps, span->begin_ns, span->end_ns, (Step){.waiting = 1});
    }
    qsort(steps.items, steps.count, sizeof *steps.items, by_time);
    return steps;
}

static void add_change(Stack *stack, int64_t at_ns, int32_t band, int32_t change)
{
    if (change != 0)
        stack->changes[stack->change_count++] = (StackChange){at_ns, band, change};
}

static Stack stack_of(Arena *arena, const Facts *facts, uint32_t cluster)
{
    const Steps steps = steps_of(arena, facts, cluster);
    Stack stack = {.bands = bands,
                   .band_count = BANDS,
                   .changes = ARENA_ARRAY(arena, StackChange, BANDS * (size_t)steps.count),
                   .end_ns = facts->run->end_ns};
    Step now = {0};
    int32_t shown[BANDS] = {0};
    for (uint32_t i = 0; i < steps.count;) {
        const int64_t at_ns = steps.items[i].at_ns;
        for (; i < steps.count && steps.items[i].at_ns == at_ns; i++) {
            now.gpus += steps.items[i].gpus;
            now.used += steps.items[i].used;
            now.waiting += steps.items[i].waiting;
        }
        const int32_t used = now.used, left = now.gpus > used ? now.gpus - used : 0;
        const int32_t counts[BANDS] = {[BAND_USED] = used,
                                       [BAND_STRANDED] = now.waiting > 0 ? left : 0,
                                       [BAND_FREE] = now.waiting > 0 ? 0 : left};
        for (int32_t band = 0; band < BANDS; band++) {
            add_change(&stack, at_ns, band, counts[band] - shown[band]);
            shown[band] = counts[band];
        }
    }
    stack_sort(&stack);
    return stack;
}

void figures_gpus(Figures *figures, const Facts *facts)
{
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < facts->run->cluster_count && drawn < CLUSTERS_SHOWN; i++) {
        if (facts->gpus_per_node[i] == 0)
            continue;
        Arena *arena = figures->arena;
        const Stack stack = stack_of(arena, facts, i);
        const Figure figure = {
            .section = SECTION_NODES,
            .file = drawn == 0 ? "gpus" : arena_printf(arena, "gpus-%u", drawn + 1),
            .title = arena_printf(arena, "%s: GPUs", facts->run->clusters[i].name),
            .note = ""};
        stack_draw(figures, figure, &stack);
        drawn++;
    }
}

#include "sim/model/transformer/search.h"

#include <stddef.h>

#include "sim/base/invariant.h"

void choices_add(Choices *choices, int64_t value)
{
    invariant(choices->count < SPACE_VALUES_MOST);
    choices->values[choices->count++] = value;
}

typedef struct {
    const TransformerJob *job;
    const TransformerMachine *machine;
    const LayoutSpace *space;
    int32_t most;
    LayoutSearch *search;
} Search;

/* --- Ranking --- */

static bool is_better(double step_s, const TransformerMemory *memory, const RankedLayout *other)
{
    if (step_s < other->step.step_s)
        return true;
    return !(other->step.step_s < step_s) && memory->total_bytes < other->memory.total_bytes;
}

static bool may_rank(const Search *search, double step_s, const TransformerMemory *memory)
{
    const LayoutSearch *found = search->search;
    return found->count < search->most ||
           is_better(step_s, memory, &found->ranked[found->count - 1]);
}

static void rank_insert(const Search *search, const RankedLayout *candidate)
{
    LayoutSearch *found = search->search;
    if (found->count < search->most)
        found->count++;
    int32_t at = found->count - 1;
    for (; at > 0 && is_better(candidate->step.step_s, &candidate->memory, &found->ranked[at - 1]);
         at--)
        found->ranked[at] = found->ranked[at - 1];
    found->ranked[at] = *candidate;
}

/* A layout that keeps the rules. */
static void consider(const Search *search, const TransformerLayout *layout)
{
    LayoutSearch *found = search->search;
    RankedLayout candidate = {.layout = *layout};
    candidate.memory = layout_memory(search->job, layout, search->machine->software, NULL);
    found->valid++;
    if (candidate.memory.total_bytes > search->machine->memory_bytes) {
        const bool is_least =
            !found->has_least || candidate.memory.total_bytes < found->least.memory.total_bytes;
        if (is_least)
            found->least = candidate;
        found->has_least = true;
        return;
    }
    found->fitting++;
    candidate.step = transformer_step(search->job, layout, search->machine, SCHEDULE_BOUND);
    if (!may_rank(search, candidate.step.step_s, &candidate.memory))
        return;
    if (layout->pipeline > 1)
        candidate.step = transformer_step(search->job, layout, search->machine, SCHEDULE_EXECUTED);
    if (may_rank(search, candidate.step.step_s, &candidate.memory))
        rank_insert(search, &candidate);
}

/* --- Combinations --- */

/* How a choice is written into a layout. */
static void set_tensor(TransformerLayout *layout, int64_t value)
{
    layout->tensor = (int32_t)value;
}
static void set_context(TransformerLayout *layout, int64_t value)
{
    layout->context = (int32_t)value;
}
static void set_pipeline(TransformerLayout *layout, int64_t value)
{
    layout->pipeline = (int32_t)value;
}
static void set_chunks(TransformerLayout *layout, int64_t value)
{
    layout->chunks = (int32_t)value;
}
static void set_sharding(TransformerLayout *layout, int64_t value)
{
    layout->sharding = (Sharding)value;
}
static void set_sequence(TransformerLayout *layout, int64_t value)
{
    layout->is_sequence_parallel = value != 0;
}
static void set_recompute(TransformerLayout *layout, int64_t value)
{
    layout->recompute = (Recompute)value;
}
static void set_micro_batch(TransformerLayout *layout, int64_t value)
{
    layout->micro_batch = value;
}
static void set_expert(TransformerLayout *layout, int64_t value)
{
    layout->expert = (int32_t)value;
}
static void set_divides_experts(TransformerLayout *layout, int64_t value)
{
    layout->divides_experts = value != 0;
}

static const struct {
    size_t choices; /* offset in the space */
    void (*set)(TransformerLayout *layout, int64_t value);
} dimensions[] = {
    {offsetof(LayoutSpace, tensor), set_tensor},
    {offsetof(LayoutSpace, context), set_context},
    {offsetof(LayoutSpace, pipeline), set_pipeline},
    {offsetof(LayoutSpace, chunks), set_chunks},
    {offsetof(LayoutSpace, sharding), set_sharding},
    {offsetof(LayoutSpace, sequence_parallel), set_sequence},
    {offsetof(LayoutSpace, recompute), set_recompute},
    {offsetof(LayoutSpace, micro_batch), set_micro_batch},
    {offsetof(LayoutSpace, expert), set_expert},
    {offsetof(LayoutSpace, divides_experts), set_divides_experts},
};
enum { DIMENSIONS = sizeof dimensions / sizeof dimensions[0] };

static const Choices *choices_of(const LayoutSpace *space, int dimension)
{
    return (const Choices *)(const void *)((const char *)space + dimensions[dimension].choices);
}

/* The remaining GPUs are data ranks; at least one, so that the rules can be checked. */
static int32_t data_ranks(const Search *search, const TransformerLayout *layout)
{
    if (search->space->data > 0)
        return search->space->data;
    const int64_t others = (int64_t)layout->tensor * layout->context * layout->pipeline;
    return others > search->job->gpus ? 1 : (int32_t)(search->job->gpus / others);
}

/* One tensor rank divides nothing: both choices are then the same layout. */
static bool is_repeated(const Search *search, const TransformerLayout *layout)
{
    return search->space->divides_experts.count > 1 && layout->tensor == 1 &&
           !layout->divides_experts;
}

static void combine(const Search *search, const int32_t *at)
{
    TransformerLayout layout = {.precision = search->space->precision,
                                .has_flash_attention = search->space->has_flash_attention};
    for (int i = 0; i < DIMENSIONS; i++)
        dimensions[i].set(&layout, choices_of(search->space, i)->values[at[i]]);
    if (is_repeated(search, &layout))
        return;
    layout.data = data_ranks(search, &layout);
    const char *problem = layout_problem(search->job, &layout);
    if (problem == NULL)
        consider(search, &layout);
    else if (search->search->problem == NULL)
        search->search->problem = problem;
    search->search->combinations++;
}

void layouts_search(const TransformerJob *job, const TransformerMachine *machine,
                    const LayoutSpace *space, int32_t most, LayoutSearch *search)
{
    invariant(most >= 1 && most <= RANKED_MOST);
    *search = (LayoutSearch){0};
    const Search context = {job, machine, space, most, search};
    int32_t at[DIMENSIONS] = {0};
    for (int i = 0; i < DIMENSIONS; i++)
        invariant(choices_of(space, i)->count > 0);
    for (int moved = 0; moved >= 0;) {
        combine(&context, at);
        // Like a counter: the last dimension changes fastest.
        for (moved = DIMENSIONS - 1; moved >= 0; moved--) {
            if (++at[moved] < choices_of(space, moved)->count)
                break;
            at[moved] = 0;
        }
    }
}

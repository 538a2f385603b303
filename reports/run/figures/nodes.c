/* Private to reports/run/figures: nodes by state over time, a plot for each cluster. */
#include "reports/figure/stack.h"
#include "reports/run/figures/figures.h"
#include "reports/run/figures/palette.h"

enum { CLUSTERS_SHOWN = 6 };

/* In the order of stacking: working nodes are at the bottom. */
static const NodeState bands[] = {NODE_RUNNING, NODE_IDLE, NODE_PREPARING, NODE_LEAVING,
                                  NODE_UNUSABLE};
enum { BANDS = sizeof(bands) / sizeof(bands[0]) };
_Static_assert((int)BANDS == (int)NODE_STATE_COUNT, "one band per state");

static int32_t band_of(NodeState state)
{
    int32_t band = 0;
    while (bands[band] != state)
        band++;
    return band;
}

/* All nodes of a cluster over time. */
static Stack stack_of(Arena *arena, const Facts *facts, uint32_t cluster)
{
    Shade *shades = ARENA_ARRAY(arena, Shade, BANDS);
    for (int32_t band = 0; band < BANDS; band++)
        shades[band] = node_shades[bands[band]];
    Stack stack = {.bands = shades,
                   .band_count = BANDS,
                   .changes = ARENA_ARRAY(arena, StackChange, 2 * (size_t)facts->span_count),
                   .end_ns = facts->run->end_ns};
    for (uint32_t i = 0; i < facts->span_count; i++) {
        const NodeSpan *span = &facts->spans[i];
        if (facts->nodes[span->node].cluster != cluster)
            continue;
        const int32_t band = band_of(span->state);
        stack.changes[stack.change_count++] = (StackChange){span->begin_ns, band, 1};
        stack.changes[stack.change_count++] = (StackChange){span->end_ns, band, -1};
    }
    stack_sort(&stack);
    return stack;
}

static bool has_nodes(const Facts *facts, uint32_t cluster)
{
    for (uint32_t i = 0; i < facts->span_count; i++)
        if (facts->nodes[facts->spans[i].node].cluster == cluster)
            return true;
    return false;
}

static void draw_cluster(Figures *figures, const Facts *facts, uint32_t cluster)
{
    Arena *arena = figures->arena;
    const Stack stack = stack_of(arena, facts, cluster);
    const Figure figure = {
        .section = SECTION_NODES,
        .file = cluster == 0 ? "nodes" : arena_printf(arena, "nodes-%u", cluster + 1),
        .title = arena_printf(arena, "%s: nodes by state", facts->run->clusters[cluster].name),
        .note = ""};
    stack_draw(figures, figure, &stack);
}

void figures_nodes(Figures *figures, const Facts *facts)
{
    uint32_t drawn = 0, with_nodes = 0;
    for (uint32_t cluster = 0; cluster < facts->run->cluster_count; cluster++) {
        if (!has_nodes(facts, cluster))
            continue;
        with_nodes++;
        if (drawn == CLUSTERS_SHOWN)
            continue;
        drawn++;
        draw_cluster(figures, facts, cluster);
    }
    const Figure missing = {.section = SECTION_NODES, .file = "nodes", .title = "Nodes by state"};
    Figure note = missing;
    if (drawn == 0) {
        note.note = "No cluster had nodes in this run, so there is nothing to draw.";
        figures_missing(figures, note);
    } else if (drawn < with_nodes) {
        note.title = "";
        note.note = arena_printf(figures->arena,
                                 "The first %u of %u clusters are drawn; the table of clusters has "
                                 "them all.",
                                 drawn, with_nodes);
        figures_missing(figures, note);
    }
}

/* Private to reports/run: nodes by state over time, a plot for each cluster. */
#include <inttypes.h>
#include <stdlib.h>

#include "reports/run/figure_draw.h"
#include "reports/run/figures.h"
#include "reports/text/wording.h"
#include "sim/base/units.h"

/* If there are more changes than this, the states at this many instants are shown. */
enum { CLUSTERS_SHOWN = 6, CHANGES_SHOWN = 4000, MOMENTS_SHOWN = 1500 };

/* In the order of stacking: working nodes are at the bottom. */
static const struct {
    NodeState state;
    Shade shade;
} bands[] = {
    {NODE_RUNNING, {"running", 0x4477AA}},     {NODE_IDLE, {"idle", 0x9FC5DE}},
    {NODE_PREPARING, {"preparing", 0xDDAA33}}, {NODE_LEAVING, {"leaving", 0xA08A7A}},
    {NODE_UNUSABLE, {"unusable", 0xCC3311}},
};
enum { BANDS = sizeof(bands) / sizeof(bands[0]) };
_Static_assert((int)BANDS == (int)NODE_STATE_COUNT, "one band per state");

/* A node entering (+1) or leaving (-1) a band. */
typedef struct {
    int64_t at_ns;
    int32_t band;
    int32_t change;
} Change;

static int by_time(const void *left, const void *right)
{
    const Change *a = left, *b = right;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    if (a->band != b->band)
        return a->band - b->band;
    return a->change - b->change;
}

static int32_t band_of(NodeState state)
{
    int32_t band = 0;
    while (bands[band].state != state)
        band++;
    return band;
}

static bool is_of(const Facts *facts, const NodeSpan *span, uint32_t cluster)
{
    return facts->nodes[span->node].cluster == cluster;
}

static Change *changes_of(Arena *arena, const Facts *facts, uint32_t cluster, uint32_t *count)
{
    Change *changes = ARENA_ARRAY(arena, Change, 2 * (size_t)facts->span_count);
    *count = 0;
    for (uint32_t i = 0; i < facts->span_count; i++) {
        const NodeSpan *span = &facts->spans[i];
        if (!is_of(facts, span, cluster))
            continue;
        const int32_t band = band_of(span->state);
        changes[(*count)++] = (Change){span->begin_ns, band, 1};
        changes[(*count)++] = (Change){span->end_ns, band, -1};
    }
    qsort(changes, *count, sizeof changes[0], by_time);
    return changes;
}

static uint32_t bands_used(const Facts *facts, uint32_t cluster)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < facts->span_count; i++)
        if (is_of(facts, &facts->spans[i], cluster))
            used |= 1U << band_of(facts->spans[i].state);
    return used;
}

static void point_print(Text *out, int64_t at_ns, const int32_t *nodes, uint32_t used)
{
    int32_t sum = 0;
    seconds_print(out, at_ns);
    for (int32_t band = 0; band < BANDS; band++) {
        sum += nodes[band];
        if ((used >> band & 1) != 0)
            text_printf(out, " %" PRId32, sum);
    }
    text_add(out, "\n");
}

/* Each moment of change has two points, before and after, so that the bands have upright edges. */
static int32_t states_print(Text *out, const Change *changes, uint32_t count, uint32_t used,
                            int64_t end_ns)
{
    const int64_t grain_ns = count > CHANGES_SHOWN ? end_ns / MOMENTS_SHOWN : 0;
    int32_t nodes[BANDS] = {0};
    int32_t held = 0, held_max = 0;
    int64_t shown_ns = -grain_ns;
    text_add(out, "$states << END\n");
    for (uint32_t i = 0; i < count;) {
        const int64_t at_ns = changes[i].at_ns;
        const bool is_shown = at_ns - shown_ns >= grain_ns || changes[count - 1].at_ns == at_ns;
        if (is_shown)
            point_print(out, at_ns, nodes, used);
        for (; i < count && changes[i].at_ns == at_ns; i++) {
            nodes[changes[i].band] += changes[i].change;
            held += changes[i].change;
        }
        if (is_shown) {
            point_print(out, at_ns, nodes, used);
            shown_ns = at_ns;
        }
        held_max = held > held_max ? held : held_max;
    }
    text_add(out, "END\n");
    return held_max;
}

static void nodes_data(Text *out, const Facts *facts, uint32_t cluster, FigureLayout layout)
{
    Arena *scratch = arena_create();
    uint32_t count = 0;
    const Change *changes = changes_of(scratch, facts, cluster, &count);
    const uint32_t used = bands_used(facts, cluster);
    Shade shades[BANDS];
    for (int32_t band = 0; band < BANDS; band++)
        shades[band] = bands[band].shade;
    key_print(out, shades, BANDS, used, layout);
    time_axis_print(out, facts->run->end_ns, layout);
    const int64_t held_max = states_print(out, changes, count, used, facts->run->end_ns);
    const int64_t step = round_step(held_max, 5);
    text_printf(out, "y_step = %" PRId64 "\ny_end = %" PRId64 "\n", step,
                (held_max + step - 1) / step * step);
    arena_destroy(scratch);
}

static Figure nodes_figure(Arena *arena, const Facts *facts, uint32_t cluster)
{
    Text title = {0};
    text_printf(&title, "%s: nodes by state", facts->run->clusters[cluster].name);
    Figure figure = {.section = SECTION_NODES,
                     .file = cluster == 0 ? "nodes" : arena_printf(arena, "nodes-%u", cluster + 1),
                     .title = arena_strdup(arena, text_string(&title)),
                     .note = ""};
    text_free(&title);
    return figure;
}

void figures_nodes(Figures *figures, const Facts *facts)
{
    uint32_t drawn = 0, with_nodes = 0;
    for (uint32_t cluster = 0; cluster < facts->run->cluster_count; cluster++) {
        if (bands_used(facts, cluster) == 0)
            continue;
        with_nodes++;
        if (drawn == CLUSTERS_SHOWN)
            continue;
        drawn++;
        figure_draw(figures, nodes_figure(figures->arena, facts, cluster), "nodes.gp", nodes_data,
                    facts, cluster, 150);
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

/* Private to reports/plan: the objective over two factors that are chosen, with the levels of
 * the recommended candidate for all others. */
#include <inttypes.h>
#include <math.h>

#include "reports/plan/figures.h"
#include "reports/study/range.h"
#include "reports/text/labels.h"
#include "reports/text/wording.h"
#include "sim/base/units.h"
#include "sim/study/statistics/words.h"

enum {
    LEVELS_MAX = 12,
    CELL_HEIGHT = 30,
    LABEL_WIDTH = 192,
    LABEL_WIDTH_NARROW = 80,
    COLUMN_GAP = 8,
    NO_VALUE_RGB = 0xCCCCCC,
    GAP = 14
};

/* The colours of the least and the largest value: one hue, for any colour vision. */
static const int32_t light[3] = {0xE3, 0xEC, 0xF6}, dark[3] = {0x1D, 0x4F, 0x8F};

typedef struct {
    const PlanFacts *facts;
    const StudyAxis *across, *up;
    int32_t *candidates; /* [up level * across levels + across level]; NO_CANDIDATE */
    double low, high;    /* of the objective */
} Pair;

static bool is_chosen(const PlanFacts *facts, const StudyAxis *axis)
{
    return axis->level_count <= LEVELS_MAX && !goal_is_weather(facts->outcome->goal, axis->factor);
}

static bool choose_axes(const PlanFacts *facts, Pair *pair)
{
    for (int32_t i = 0; i < facts->study->axis_count; i++) {
        const StudyAxis *axis = &facts->study->axes[i];
        if (!is_chosen(facts, axis))
            continue;
        if (pair->across == NULL) {
            pair->across = axis;
        } else {
            pair->up = axis;
            return true;
        }
    }
    return false;
}

static int32_t level_of(const Pair *pair, int32_t candidate, const StudyAxis *axis)
{
    return axis_level(pair->facts->study, axis,
                      plan_point(pair->facts->outcome->grid, candidate, 0));
}

/* Whether a candidate has the levels of `other` in all axes but the two. */
static bool is_in_plane(const Pair *pair, int32_t candidate, int32_t other)
{
    for (int32_t i = 0; i < pair->facts->study->axis_count; i++) {
        const StudyAxis *axis = &pair->facts->study->axes[i];
        if (axis != pair->across && axis != pair->up &&
            level_of(pair, candidate, axis) != level_of(pair, other, axis))
            return false;
    }
    return true;
}

static double objective_of(const Pair *pair, int32_t candidate)
{
    return plan_findings(plan_candidate(pair->facts, candidate))->objective.value;
}

/* Finds the candidates of the cells; returns how many have a value. */
static int32_t find_cells(Pair *pair)
{
    const PlanOutcome *outcome = pair->facts->outcome;
    const int32_t cells = pair->across->level_count * pair->up->level_count;
    const int32_t centre = outcome->winner != NO_CANDIDATE ? outcome->winner : 0;
    int32_t count = 0;
    pair->candidates = ARENA_ARRAY(pair->facts->arena, int32_t, cells);
    for (int32_t i = 0; i < cells; i++)
        pair->candidates[i] = NO_CANDIDATE;
    for (int32_t i = 0; i < outcome->grid->candidate_count; i++) {
        const double value = objective_of(pair, i);
        if (!is_in_plane(pair, i, centre))
            continue;
        pair->candidates[level_of(pair, i, pair->up) * pair->across->level_count +
                         level_of(pair, i, pair->across)] = i;
        if (isnan(value))
            continue;
        pair->low = count == 0 || value < pair->low ? value : pair->low;
        pair->high = count == 0 || value > pair->high ? value : pair->high;
        count++;
    }
    return count;
}

/* --- Cells --- */

static int32_t cell_candidate(const Pair *pair, int32_t column, int32_t row)
{
    return pair->candidates[pair->up->order[row] * pair->across->level_count +
                            pair->across->order[column]];
}

/* From 0, light, to 1, dark. */
static double depth_of(const Pair *pair, double value)
{
    return pair->high > pair->low ? (value - pair->low) / (pair->high - pair->low) : 0;
}

static int32_t rgb_of(double depth)
{
    int32_t rgb = 0;
    for (int32_t i = 0; i < 3; i++)
        rgb = rgb << 8 | (int32_t)(light[i] + depth * (dark[i] - light[i]) + 0.5);
    return rgb;
}

/* The mark of the state, which says without colour what a candidate is. */
static const char *mark_of(const PlanFacts *facts, int32_t candidate)
{
    switch (plan_candidate(facts, candidate)->state) {
    case CANDIDATE_WINNER:
        return "\xE2\x97\x86 ";
    case CANDIDATE_MISSES:
    case CANDIDATE_MISSES_AGAIN:
    case CANDIDATE_MISSES_BY_ORDER:
        return "\xE2\x9C\x95 ";
    case CANDIDATE_UNSTABLE:
    case CANDIDATE_REFUSED:
    case CANDIDATE_UNDECIDED:
        return "? ";
    case CANDIDATE_WORSE:
    case CANDIDATE_WORSE_BY_ORDER:
    case CANDIDATE_EQUAL:
    case CANDIDATE_STATE_COUNT:
        break;
    }
    return "";
}

static const char *cell_text(const Pair *pair, int32_t candidate)
{
    const double value =
        objective_of(pair, candidate) *
        answer_scale(pair->facts->outcome, pair->facts->outcome->goal->metric).factor;
    if (isnan(value))
        return arena_printf(pair->facts->arena, "%s\xE2\x80\x93", mark_of(pair->facts, candidate));
    Text out = {0};
    text_add(&out, mark_of(pair->facts, candidate));
    words_number(&out, value, fabs(value) < 100 ? 1 : 10); // with one decimal, or without
    return text_move(pair->facts->arena, &out);
}

static const char *const *level_names(const Pair *pair, const StudyAxis *axis, int32_t width)
{
    Arena *arena = pair->facts->arena;
    const char **names = ARENA_ARRAY(arena, const char *, axis->level_count + 1);
    for (int32_t i = 0; i < axis->level_count; i++)
        names[i] = axis_label(pair->facts->study, axis, axis->order[i]);
    return labels_fit(arena, names, axis->level_count, (LabelRoom){width, 2});
}

/* The text of a cell, or its mark alone where the text has no room. */
static const char *shown_text(const Pair *pair, int32_t candidate, int32_t width)
{
    const char *text = cell_text(pair, candidate), *mark = mark_of(pair->facts, candidate);
    if (letters_width(text) <= width)
        return text;
    return mark[0] != '\0' ? mark : letters_width(text) <= width + COLUMN_GAP ? text : "";
}

static void cells_print(Text *out, const Pair *pair, int32_t width)
{
    text_add(out, "$cells << END\n");
    for (int32_t row = 0; row < pair->up->level_count; row++)
        for (int32_t column = 0; column < pair->across->level_count; column++) {
            const int32_t candidate = cell_candidate(pair, column, row);
            if (candidate == NO_CANDIDATE)
                continue;
            const double value = objective_of(pair, candidate);
            const double depth = isnan(value) ? 0 : depth_of(pair, value);
            text_printf(out, "%" PRId32 " %" PRId32 " 0x%06" PRIX32 " \"%s\" 0x%06X\n", column + 1,
                        row + 1, (uint32_t)(isnan(value) ? NO_VALUE_RGB : rgb_of(depth)),
                        shown_text(pair, candidate, width),
                        (uint32_t)ink_on(isnan(value) ? NO_VALUE_RGB : rgb_of(depth)));
        }
    text_add(out, "END\n");
}

static void data_print(Text *out, const Pair *pair, const char *const *rows, int32_t left,
                       FigureLayout layout)
{
    const int32_t columns = pair->across->level_count;
    const int32_t width = (layout.width - left) / columns - COLUMN_GAP;
    const char *const *names = level_names(pair, pair->across, width);
    key_print(out, NULL, 0, 0, layout);
    text_printf(out,
                "columns = %" PRId32 "\narray column_name[columns]\ntic_lines = %" PRId32
                "\nx_label = ",
                columns, labels_lines(names, columns));
    gnuplot_string_print(out, pair->across->name);
    text_add(out, "\n");
    for (int32_t i = 0; i < columns; i++) {
        text_printf(out, "column_name[%" PRId32 "] = ", i + 1);
        lines_print(out, names[i]);
        text_add(out, "\n");
    }
    row_labels_print(out, rows, pair->up->level_count);
    cells_print(out, pair, width);
}

/* --- Numbers --- */

static const char *number_text(const Pair *pair, int32_t candidate)
{
    if (candidate == NO_CANDIDATE)
        return "\xE2\x80\x93";
    const PlanFindings *findings = plan_findings(plan_candidate(pair->facts, candidate));
    return arena_printf(pair->facts->arena, "%s%s", mark_of(pair->facts, candidate),
                        objective_words(pair->facts, findings));
}

/* The same table as the drawing, with intervals. */
static const FigureNumbers *numbers_of(const Pair *pair)
{
    Arena *arena = pair->facts->arena;
    const int32_t columns = pair->across->level_count, rows = pair->up->level_count;
    const char **headings = ARENA_ARRAY(arena, const char *, columns + 1);
    const char **cells = ARENA_ARRAY(arena, const char *, columns + 1);
    headings[0] = pair->up->name;
    for (int32_t i = 0; i < columns; i++)
        headings[i + 1] =
            arena_printf(arena, "%s=%s", pair->across->name,
                         axis_label(pair->facts->study, pair->across, pair->across->order[i]));
    FigureNumbers *numbers = numbers_create(arena, headings, columns + 1, true);
    for (int32_t row = rows - 1; row >= 0; row--) {
        cells[0] = axis_label(pair->facts->study, pair->up, pair->up->order[row]);
        for (int32_t i = 0; i < columns; i++)
            cells[i + 1] = number_text(pair, cell_candidate(pair, i, row));
        numbers_add(numbers, (PlotBand){PPM * (rows - 1 - row) / rows, PPM * (rows - row) / rows},
                    cells);
    }
    return numbers;
}

void figures_pair(Figures *figures, const PlanFacts *facts)
{
    Pair pair = {.facts = facts};
    if (!choose_axes(facts, &pair) || find_cells(&pair) == 0)
        return;
    const int32_t levels = pair.up->level_count;
    const char *const *names = level_names(&pair, pair.up, LABEL_WIDTH);
    const char *const *narrow_names = level_names(&pair, pair.up, LABEL_WIDTH_NARROW);
    Figure figure = {
        .section = PLAN_PAIR,
        .file = "pair",
        .title = arena_printf(facts->arena, "%s by %s (across) and %s",
                              label_capitalised(facts->arena, objective_title(facts)),
                              pair.across->name, pair.up->name),
        .note = "\xE2\x97\x86 recommended, \xE2\x9C\x95 misses a constraint, ? not decided or not "
                "simulated. Darker cells have larger values.",
        .left = labels_width(names, levels) + GAP,
        .left_narrow = labels_width(narrow_names, levels) + GAP,
        .numbers = numbers_of(&pair)};
    Text wide = {0}, narrow = {0};
    data_print(&wide, &pair, names, figure.left, figure_layout(false, false));
    data_print(&narrow, &pair, narrow_names, figure.left_narrow, figure_layout(false, true));
    figures_draw(figures, figure, "map.gp", text_string(&wide), text_string(&narrow),
                 CELL_HEIGHT * levels + 6);
    text_free(&wide);
    text_free(&narrow);
}

/* Private to reports/run/figures: the Gantt chart: a row for each job and each node, coloured by
 * activity. */
#include <inttypes.h>
#include <string.h>

#include "reports/run/figures/draw.h"
#include "reports/run/figures/figures.h"
#include "reports/run/figures/palette.h"
#include "reports/text/wording.h"
#include "sim/base/capped.h"
#include "sim/base/units.h"
#include "sim/cloud/job/attempt.h"

/* More rows than this are thinner than their labels. */
enum {
    JOBS_SHOWN = 24,
    NODES_SHOWN = 24,
    ROW_HEIGHT = 17,
    FRAME_HEIGHT = 96,
    FRAME_HEIGHT_NARROW = 170
};

/* A stage that this version does not know counts as the program. */
static const Bar stage_bars[] = {
    [STAGE_MOUNT] = BAR_MOUNT,         [STAGE_PULL] = BAR_PULL,
    [STAGE_CONTAINER] = BAR_CONTAINER, [STAGE_PREPARATION] = BAR_PREPARATION,
    [STAGE_START] = BAR_START,         [STAGE_DOWNLOAD] = BAR_DOWNLOAD,
    [STAGE_DATA] = BAR_DATA,           [STAGE_COUNT] = BAR_PROGRAM,
};
_Static_assert(sizeof(stage_bars) / sizeof(stage_bars[0]) == STAGE_COUNT + 1, "one bar per stage");

static const Bar state_bars[] = {
    [NODE_PREPARING] = BAR_NODE_PREPARING, [NODE_IDLE] = BAR_NODE_IDLE,
    [NODE_RUNNING] = BAR_PROGRAM,          [NODE_LEAVING] = BAR_NODE_LEAVING,
    [NODE_UNUSABLE] = BAR_NODE_UNUSABLE,
};
_Static_assert(sizeof(state_bars) / sizeof(state_bars[0]) == NODE_STATE_COUNT, "one bar per state");

static JobStage stage_of(const char *name)
{
    int stage = 0;
    while (stage < STAGE_COUNT && strcmp(name, job_stage_name((JobStage)stage)) != 0)
        stage++;
    return (JobStage)stage;
}

/* --- Bars --- */

typedef struct {
    Text *out;
    const Facts *facts;
    uint32_t jobs;  /* shown: the first so many */
    uint32_t nodes; /* likewise, in rows below the jobs */
    uint32_t used;  /* bit of each Bar that appears */
} Chart;

static void bar_print(Chart *chart, uint32_t row, Bar bar, int64_t begin_ns, int64_t end_ns)
{
    if (end_ns <= begin_ns)
        return;
    chart->used |= 1U << bar;
    seconds_print(chart->out, begin_ns);
    text_add(chart->out, " ");
    seconds_print(chart->out, end_ns);
    text_printf(chart->out, " %" PRIu32 " 0x%06" PRIX32 "\n", row + 1,
                (uint32_t)bar_shades[bar].rgb);
}

/* The activities of a job that holds its nodes, as bars over the bar of its program: stages, then
 * training (one record begins it, another ends it), then interruptions of training. */
typedef enum { LAYER_STAGES, LAYER_TRAINING, LAYER_BETWEEN, LAYER_COUNT } Layer;

/* A time on a row in which a job had nodes; `node` is ID_NONE for the row of the job itself, which
 * shows the stages of all its nodes, one over another. */
typedef struct {
    uint32_t row;
    uint32_t job;
    uint32_t node;
    int64_t begin_ns;
    int64_t end_ns;
} Window;

static void work_bar_print(Chart *chart, const Window *window, Bar bar, int64_t begin_ns,
                           int64_t end_ns)
{
    bar_print(chart, window->row, bar, begin_ns > window->begin_ns ? begin_ns : window->begin_ns,
              end_ns < window->end_ns ? end_ns : window->end_ns);
}

static void work_row_print(Chart *chart, const Window *window, Layer layer, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    const bool is_elsewhere = window->node != ID_NONE && record->node.index != window->node;
    const bool is_stage = record->kind == TRACE_JOB_STAGE && !is_elsewhere;
    if (layer == LAYER_STAGES && is_stage)
        work_bar_print(chart, window, stage_bars[stage_of(record->name)], record->since_ns,
                       record->at_ns);
    if (layer == LAYER_TRAINING && record->kind == TRACE_JOB_TRAINING)
        work_bar_print(chart, window, BAR_TRAINING, record->at_ns, window->end_ns);
    if (layer == LAYER_TRAINING && record->kind == TRACE_JOB_TRAINED)
        work_bar_print(chart, window, BAR_PROGRAM, record->at_ns, window->end_ns);
    if (layer == LAYER_BETWEEN && record->kind == TRACE_EVALUATION)
        work_bar_print(chart, window, BAR_EVALUATION, record->since_ns, record->at_ns);
    if (layer == LAYER_BETWEEN &&
        (record->kind == TRACE_CHECKPOINT || record->kind == TRACE_CHECKPOINT_WITHIN ||
         record->kind == TRACE_JOB_SAVED || record->kind == TRACE_JOB_WORK_SAVED))
        work_bar_print(chart, window, BAR_CHECKPOINT, record->since_ns, record->at_ns);
}

/* The first row at or after `at_ns`: rows are in order of time. */
static uint32_t first_row(const Facts *facts, int64_t at_ns)
{
    uint32_t low = 0, high = facts->row_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (facts->rows[middle].record.at_ns < at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void work_print(Chart *chart, Window window)
{
    const Facts *facts = chart->facts;
    const uint32_t first = first_row(facts, window.begin_ns);
    bar_print(chart, window.row, BAR_PROGRAM, window.begin_ns, window.end_ns);
    for (int layer = 0; layer < LAYER_COUNT; layer++)
        for (uint32_t i = first;
             i < facts->row_count && facts->rows[i].record.at_ns <= window.end_ns; i++)
            if (facts->rows[i].record.job.index == window.job)
                work_row_print(chart, &window, (Layer)layer, &facts->rows[i]);
}

static bool is_state(const char *name, JobState state)
{
    return name != NULL && strcmp(name, job_state_name(state)) == 0;
}

/* A failure has no length; one at the end of the run is seen inside the axes too. */
static void failure_print(Chart *chart, uint32_t job, int64_t at_ns)
{
    const int64_t end_ns = chart->facts->run->end_ns, mark_ns = end_ns / 150 + 1;
    const int64_t begin_ns = at_ns > end_ns - mark_ns ? end_ns - mark_ns : at_ns;
    bar_print(chart, job, BAR_FAILED, begin_ns < 0 ? 0 : begin_ns, capped_sum(begin_ns, mark_ns));
}

/* One state of a job, from the row that begins it to `end_ns`. */
static void job_state_print(Chart *chart, const TraceRow *row, int64_t end_ns)
{
    const uint32_t job = row->record.job.index;
    const int64_t begin_ns = row->record.at_ns;
    if (is_state(row->record.name, JOB_QUEUED))
        bar_print(chart, job, BAR_QUEUED, begin_ns, end_ns);
    else if (is_state(row->record.name, JOB_FAILED))
        failure_print(chart, job, begin_ns);
    else if (!is_state(row->record.name, JOB_SUCCEEDED))
        work_print(chart, (Window){job, job, ID_NONE, begin_ns, end_ns});
}

static void job_print(Chart *chart, uint32_t job)
{
    const TraceRow *state = NULL;
    for (uint32_t i = 0; i < chart->facts->row_count; i++) {
        const TraceRow *row = &chart->facts->rows[i];
        if (row->record.kind != TRACE_JOB_STATE || row->record.job.index != job)
            continue;
        if (state != NULL)
            job_state_print(chart, state, row->record.at_ns);
        state = row;
    }
    if (state != NULL)
        job_state_print(chart, state, chart->facts->run->end_ns);
}

static void node_print(Chart *chart, const NodeSpan *span)
{
    const uint32_t row = chart->jobs + span->node;
    if (span->state == NODE_RUNNING && span->job != ID_NONE)
        work_print(chart, (Window){row, span->job, span->node, span->begin_ns, span->end_ns});
    else
        bar_print(chart, row, state_bars[span->state], span->begin_ns, span->end_ns);
}

static void bars_print(Chart *chart)
{
    text_add(chart->out, "$bars << END\n");
    for (uint32_t job = 0; job < chart->jobs; job++)
        job_print(chart, job);
    for (uint32_t i = 0; i < chart->facts->span_count; i++)
        if (chart->facts->spans[i].node < chart->nodes)
            node_print(chart, &chart->facts->spans[i]);
    // gnuplot refuses an empty block; a bar of no length is not seen.
    text_add(chart->out, "0 0 1 0\nEND\n");
}

/* --- Epochs --- */

/* Whether the job's epochs are at least 5 pixels long, so that marks between them are
 * distinguishable. */
static bool has_room_for_epochs(const Facts *facts, const TraceRow *row, FigureLayout layout)
{
    const int64_t plot_pixels = layout.width * 3 / 4;
    return (row->record.at_ns - row->record.since_ns) / 5 >= facts->run->end_ns / plot_pixels;
}

static void epochs_print(const Chart *chart, FigureLayout layout)
{
    text_add(chart->out, "$epochs << END\n");
    for (uint32_t i = 0; i < chart->facts->row_count; i++) {
        const TraceRow *row = &chart->facts->rows[i];
        if (row->record.kind != TRACE_EPOCH || row->record.job.index >= chart->jobs ||
            !has_room_for_epochs(chart->facts, row, layout))
            continue;
        seconds_print(chart->out, row->record.at_ns);
        text_printf(chart->out, " %" PRIu32 "\n", row->record.job.index + 1);
    }
    text_add(chart->out, "NaN NaN\nEND\n");
}

/* --- Rows --- */

static void node_label_print(Text *out, const Facts *facts, const ReportNode *node)
{
    if (facts->run->cluster_count > 1 && node->cluster != ID_NONE)
        text_printf(out, "%s ", facts->run->clusters[node->cluster].name);
    else
        text_add(out, "node ");
    text_printf(out, "%" PRId32, node->number);
}

static void labels_print(const Chart *chart, FigureLayout layout)
{
    const int32_t characters = layout.is_narrow ? 13 : 24;
    text_printf(chart->out, "rows = %" PRIu32 "\narray row_label[rows]\n",
                chart->jobs + chart->nodes);
    for (uint32_t row = 0; row < chart->jobs + chart->nodes; row++) {
        Text label = {0}, shown = {0};
        if (row < chart->jobs)
            text_add(&label, chart->facts->run->jobs[row].name);
        else
            node_label_print(&label, chart->facts, &chart->facts->nodes[row - chart->jobs]);
        shortened_print(&shown, text_string(&label), characters);
        text_printf(chart->out, "row_label[%" PRIu32 "] = ", row + 1);
        gnuplot_string_print(chart->out, text_string(&shown));
        text_add(chart->out, "\n");
        text_free(&label);
        text_free(&shown);
    }
    const bool has_both = chart->jobs > 0 && chart->nodes > 0;
    text_printf(chart->out, "separator = %" PRIu32 ".5\n", has_both ? chart->jobs : 0);
}

static uint32_t at_most(uint32_t count, uint32_t most)
{
    return count < most ? count : most;
}

/* Many nodes are drawn as slots (slots.c). */
static bool has_slots(const Facts *facts)
{
    return facts->node_count > NODES_SHOWN || (facts->node_count > 0 && facts_are_of_many(facts));
}

static uint32_t nodes_shown(const Facts *facts)
{
    return has_slots(facts) ? 0 : facts->node_count;
}

static void gantt_data(Text *out, const Facts *facts, uint32_t subject, FigureLayout layout)
{
    (void)subject;
    Chart chart = {.out = out,
                   .facts = facts,
                   .jobs = at_most(facts->run->job_count, JOBS_SHOWN),
                   .nodes = nodes_shown(facts)};
    time_axis_print(out, facts->run->end_ns, layout);
    labels_print(&chart, layout);
    bars_print(&chart);
    epochs_print(&chart, layout);
    key_print(out, bar_shades, BAR_COUNT, chart.used, layout);
}

/* "The first 24 of 50 jobs and 24 of 100 nodes are drawn." and how epochs are marked. */
static const char *gantt_note(Arena *arena, const Facts *facts)
{
    Text note = {0};
    if (facts->run->job_count > JOBS_SHOWN)
        text_printf(&note, "Of %" PRIu32 " jobs the first %d are drawn. ", facts->run->job_count,
                    JOBS_SHOWN);
    if (facts->level < TRACE_LEVEL_EPOCHS && facts_has(facts, TRACE_JOB_TRAINING))
        text_add(&note, "Epochs, evaluations and checkpoints are not marked, because the trace was "
                        "written at level jobs; `--trace epochs` has them.");
    if (facts_has(facts, TRACE_EPOCH))
        text_add(&note,
                 "White notches in a job's bar mark the ends of epochs where there is room.");
    return text_move(arena, &note);
}

static const char *moment_cell(Arena *arena, int64_t ns)
{
    Text text = {0};
    if (ns != ABSENT)
        span_print(&text, ns);
    return text_move(arena, &text);
}

static const FigureNumbers *gantt_numbers(Arena *arena, const Facts *facts)
{
    static const char *const headings[] = {"row", "from", "to", "waited", "state"};
    FigureNumbers *numbers = numbers_create(arena, headings, 5, true);
    const uint32_t jobs = at_most(facts->run->job_count, JOBS_SHOWN);
    const int64_t rows = jobs + nodes_shown(facts);
    for (uint32_t row = 0; row < rows; row++) {
        const PlotBand band = {PPM * row / rows, PPM * (row + 1) / rows};
        if (row < jobs) {
            const SummaryJob *job = &facts->run->jobs[row];
            const char *const cells[] = {
                job->name, moment_cell(arena, job->submitted_ns), moment_cell(arena, job->ended_ns),
                moment_cell(arena, job->queue_ns), job->state != NULL ? job->state : ""};
            numbers_add(numbers, band, cells);
        } else {
            const ReportNode *node = &facts->nodes[row - jobs];
            Text label = {0};
            node_label_print(&label, facts, node);
            const char *const cells[] = {text_string(&label),
                                         moment_cell(arena, node->allocated_ns),
                                         moment_cell(arena, node->released_ns), "", "node"};
            numbers_add(numbers, band, cells);
            text_free(&label);
        }
    }
    return numbers;
}

void figures_gantt(Figures *figures, const Facts *facts)
{
    Figure figure = {.section = SECTION_GANTT,
                     .file = "gantt",
                     .title = "Jobs and nodes",
                     .note = "",
                     .left = 170,
                     .left_narrow = 92};
    const uint32_t rows = at_most(facts->run->job_count, JOBS_SHOWN) + nodes_shown(facts);
    const bool is_drawn = rows > 0 && facts->run->end_ns > 0 && !facts->has_no_rows;
    if (is_drawn) {
        figure.title = has_slots(facts) ? "Jobs" : figure.title;
        figure.note = gantt_note(figures->arena, facts);
        figure.numbers = gantt_numbers(figures->arena, facts);
        figure_draw(figures, figure, "gantt.gp", gantt_data, facts, 0, (int32_t)rows * ROW_HEIGHT);
    }
    if (has_slots(facts) && facts->run->end_ns > 0)
        figures_slots(figures, facts);
    else if (!is_drawn) {
        figure.note = facts_no_rows(facts);
        figures_missing(figures, figure);
    }
}

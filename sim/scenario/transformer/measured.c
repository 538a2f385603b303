#include "sim/scenario/transformer/measured.h"

#include "sim/base/units.h"
#include "sim/scenario/joblist/cells.h"
#include "sim/scenario/transformer/layout.h"
#include "sim/schema/value.h"

#define COLUMNS(X)                                                                                 \
    X(SOURCE, "source")                                                                            \
    X(SOFTWARE, "software")                                                                        \
    X(GPU, "gpu")                                                                                  \
    X(GPUS, "gpus")                                                                                \
    X(GPUS_PER_NODE, "gpus_per_node")                                                              \
    X(FABRIC, "fabric")                                                                            \
    X(PORT_RATE, "port_rate")                                                                      \
    X(MODEL, "model")                                                                              \
    X(LAYERS, "layers")                                                                            \
    X(HIDDEN, "hidden")                                                                            \
    X(MLP, "mlp")                                                                                  \
    X(GATED, "gated")                                                                              \
    X(HEADS, "heads")                                                                              \
    X(KV_HEADS, "kv_heads")                                                                        \
    X(VOCABULARY, "vocabulary")                                                                    \
    X(SEQUENCE, "sequence")                                                                        \
    X(LAYOUT, "layout")                                                                            \
    X(GLOBAL_BATCH, "global_batch")                                                                \
    X(STEP_S, "step_s")                                                                            \
    X(MEMORY_GB, "memory_gb")

typedef enum {
#define X(name, text) COLUMN_##name,
    COLUMNS(X)
#undef X
        COLUMN_COUNT
} Column;

static const char *const column_names[COLUMN_COUNT] = {
#define X(name, text) text,
    COLUMNS(X)
#undef X
};

/* One line of the table. */
typedef struct {
    Arena *arena;
    const Catalog *catalog;
    const LineCursor *line;
    const Cell *cells;
    Status *status;
} Row;

static bool fail_cell(const Row *row, Column column, const char *expected)
{
    const Cell cell = row->cells[column];
    return status_fail(row->status, STATUS_BAD_INPUT, cell_place(row->line, cell.text),
                       "%s is \"%.*s\": expected %s", column_names[column], cell_shown(cell),
                       cell.text, expected);
}

static const char *text_of(const Row *row, Column column)
{
    return arena_strndup(row->arena, row->cells[column].text, (size_t)row->cells[column].length);
}

static bool is_empty(const Row *row, Column column)
{
    return row->cells[column].length == 0;
}

static bool integer_read(const Row *row, Column column, int64_t least, int64_t most, int64_t *value)
{
    return (cell_scaled(row->cells[column], 0, value) == CELL_READ && *value >= least &&
            *value <= most) ||
           fail_cell(row, column, "a whole number in range");
}

static bool real_read(const Row *row, Column column, double *value)
{
    enum { DECIMALS = 9 };
    int64_t scaled;
    const CellOutcome outcome = cell_scaled(row->cells[column], DECIMALS, &scaled);
    *value = (double)scaled / 1e9;
    return ((outcome == CELL_READ || outcome == CELL_TOO_FINE) && scaled > 0) ||
           fail_cell(row, column, "a number above 0");
}

static bool shape_read(const Row *row, TransformerShape *shape)
{
    enum { MOST = 1 << 24 };
    int64_t gated;
    const struct {
        Column column;
        int64_t *value;
    } members[] = {
        {COLUMN_LAYERS, &shape->layers},     {COLUMN_HIDDEN, &shape->hidden},
        {COLUMN_MLP, &shape->mlp},           {COLUMN_HEADS, &shape->heads},
        {COLUMN_KV_HEADS, &shape->kv_heads}, {COLUMN_VOCABULARY, &shape->vocabulary},
        {COLUMN_SEQUENCE, &shape->sequence},
    };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (!integer_read(row, members[i].column, 1, MOST, members[i].value))
            return false;
    if (!integer_read(row, COLUMN_GATED, 0, 1, &gated))
        return false;
    shape->is_gated = gated == 1;
    return transformer_shape_check(shape, cell_place(row->line, row->cells[COLUMN_HEADS].text),
                                   row->status);
}

static bool job_read(const Row *row, TransformerJob *job)
{
    int64_t gpus, on_node;
    if (!shape_read(row, &job->shape) ||
        !integer_read(row, COLUMN_GPUS, 1, TRANSFORMER_GPUS_MOST, &gpus) ||
        !integer_read(row, COLUMN_GPUS_PER_NODE, 1, TRANSFORMER_GPUS_MOST, &on_node) ||
        !integer_read(row, COLUMN_GLOBAL_BATCH, 1, INT64_C(1) << 30, &job->global_batch))
        return false;
    job->gpus = (int32_t)gpus;
    job->gpus_per_node = (int32_t)on_node;
    return true;
}

static bool fabric_read(const Row *row, TransformerMachine *machine)
{
    if (is_empty(row, COLUMN_FABRIC))
        return fail_cell(row, COLUMN_FABRIC, "a fabric, because the row has several nodes");
    machine->fabric = catalog_transformer_fabric(row->catalog, text_of(row, COLUMN_FABRIC));
    if (machine->fabric == NULL)
        return fail_cell(row, COLUMN_FABRIC, "a name of transformer_fabrics");
    return value_parse(VALUE_RATE, text_of(row, COLUMN_PORT_RATE),
                       cell_place(row->line, row->cells[COLUMN_PORT_RATE].text),
                       &machine->port_bytes_per_s, row->status);
}

static bool machine_read(const Row *row, const TransformerJob *job, TransformerMachine *machine)
{
    const char *software = is_empty(row, COLUMN_SOFTWARE) ? "any" : text_of(row, COLUMN_SOFTWARE);
    machine->gpu = catalog_transformer_gpu(row->catalog, text_of(row, COLUMN_GPU));
    machine->software = catalog_transformer_software(row->catalog, software);
    machine->memory_bytes = INT64_MAX; // the training ran
    if (machine->gpu == NULL)
        return fail_cell(row, COLUMN_GPU, "a name of transformer_gpus");
    if (machine->software == NULL)
        return fail_cell(row, COLUMN_SOFTWARE, "a name of transformer_software");
    return job->gpus <= job->gpus_per_node || fabric_read(row, machine);
}

/* The single layout of the row. */
static bool layout_read(const Row *row, MeasuredTraining *training)
{
    const char *text = text_of(row, COLUMN_LAYOUT);
    const Place at = cell_place(row->line, row->cells[COLUMN_LAYOUT].text);
    const Piece piece = {text, (size_t)row->cells[COLUMN_LAYOUT].length, at};
    LayoutSpace space;
    LayoutSearch search;
    if (!layout_space_read(piece, &training->job, &training->machine, &space, row->status))
        return false;
    layouts_search(&training->job, &training->machine, &space, 1, &search);
    if (search.count == 0)
        return status_fail(row->status, STATUS_BAD_INPUT, at, "%s", search.problem);
    training->layout = search.ranked[0].layout;
    training->predicted = search.ranked[0].step;
    training->memory = search.ranked[0].memory;
    return true;
}

static bool row_read(const Row *row, MeasuredTraining *training)
{
    *training = (MeasuredTraining){.source = text_of(row, COLUMN_SOURCE),
                                   .gpu = text_of(row, COLUMN_GPU),
                                   .model = text_of(row, COLUMN_MODEL),
                                   .software = text_of(row, COLUMN_SOFTWARE),
                                   .line = row->line->line_number};
    if (!job_read(row, &training->job) || !machine_read(row, &training->job, &training->machine) ||
        !layout_read(row, training) || !real_read(row, COLUMN_STEP_S, &training->step_s))
        return false;
    if (is_empty(row, COLUMN_MEMORY_GB))
        return true;
    double gb;
    const bool is_read = real_read(row, COLUMN_MEMORY_GB, &gb);
    training->memory_bytes = gb * 1e9;
    return is_read;
}

static bool header_check(const LineCursor *line, Status *status)
{
    Cell cells[COLUMN_COUNT];
    const int32_t count = cells_cut(line, ',', cells, COLUMN_COUNT);
    bool is_fine = count == COLUMN_COUNT;
    for (int i = 0; is_fine && i < COLUMN_COUNT; i++)
        is_fine = cell_is(cells[i], column_names[i]);
    if (is_fine)
        return true;
    status_fail(status, STATUS_BAD_INPUT, cell_place(line, line->line),
                "the first line must name the %d columns of a table of trainings", COLUMN_COUNT);
    return status_hint(status, "scenarios/catalog/transformer_rows.csv is an example");
}

bool measured_trainings_read(Arena *arena, const Catalog *catalog, const char *source,
                             const char *text, size_t length, MeasuredTrainings *trainings,
                             Problems *problems)
{
    const int32_t before = problems->count;
    LineCursor line = lines_begin(source, text, length);
    Status status = {0};
    trainings->count = 0;
    trainings->items = ARENA_ARRAY(arena, MeasuredTraining, lines_left(&line) + 1);
    if (!lines_next(&line) || !header_check(&line, &status)) {
        if (status.code == STATUS_OK)
            status_fail(&status, STATUS_BAD_INPUT, place_in(source, 1, 1), "the table is empty");
        problems_add_status(problems, &status);
        return false;
    }
    while (lines_next(&line)) {
        Cell cells[COLUMN_COUNT];
        Status bad = {0};
        if (line.line == line.line_end)
            continue;
        const Row row = {arena, catalog, &line, cells, &bad};
        const bool is_whole = cells_cut(&line, ',', cells, COLUMN_COUNT) == COLUMN_COUNT ||
                              status_fail(&bad, STATUS_BAD_INPUT, cell_place(&line, line.line),
                                          "expected %d cells", COLUMN_COUNT);
        if (is_whole && row_read(&row, &trainings->items[trainings->count]))
            trainings->count++;
        else
            problems_add_status(problems, &bad);
    }
    return problems->count == before;
}

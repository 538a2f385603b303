/* Private to sim/output/metrics: errors of clusters and nodes, equal ones counted once. */
#include "sim/base/array.h"
#include "sim/output/metrics/fold.h"

/* Many nodes may have the same error. */
static const char *error_words(MetricsFold *fold, const TraceRow *row)
{
    Text words = {0};
    trace_row_print_error(&words, row);
    const char *kept = arena_strdup(fold->arena, text_string(&words));
    text_free(&words);
    return kept;
}

static void error_add(MetricsFold *fold, const TraceRow *row)
{
    const TraceRecord *record = &row->record;
    const bool is_of_nodes = record->kind == TRACE_NODE_ERROR;
    RunMetrics *run = &fold->run;
    const uint32_t index = run->error_count++;
    run->errors = array_room(fold->arena, run->errors, run->error_count, &fold->error_capacity,
                             sizeof *run->errors);
    run->errors[index] = (ErrorMetrics){.cluster = record->cluster,
                                        .what = is_of_nodes ? error_words(fold, row) : record->name,
                                        .cause = record->cause,
                                        .is_of_nodes = is_of_nodes,
                                        .first_ns = record->at_ns};
    cluster_of(fold, row);
}

void fold_error(MetricsFold *fold, const TraceRow *row)
{
    RunMetrics *run = &fold->run;
    const bool is_of_nodes = row->record.kind == TRACE_NODE_ERROR;
    Text name = {0};
    text_printf(&name, "%s/%d/", row->cluster, is_of_nodes);
    if (is_of_nodes)
        trace_row_print_error(&name, row);
    else
        text_add(&name, row->record.name);
    uint32_t index = run->error_count;
    if (!name_table_find(fold->error_index, text_string(&name), &index) && index < ERRORS_KEPT) {
        name_table_set(fold->error_index, text_string(&name), index);
        error_add(fold, row);
    }
    text_free(&name);
    if (index == run->error_count) {
        run->errors_left_out++;
        return;
    }
    run->errors[index].count++;
    run->errors[index].last_ns = row->record.at_ns;
}

#include "sim/output/trace/reference.h"

#include "sim/output/trace/tsv.h"
#include "sim/output/trace/tsv_columns.h"

static void add_columns(Text *out)
{
    text_add(out, "\n| column | meaning |\n| --- | --- |\n");
#define X(column, name, meaning) text_add(out, "| `" name "` | " meaning " |\n");
    TSV_COLUMNS(X)
#undef X
}

static void add_record(Text *out, TraceKind kind)
{
    const TraceValue *values = trace_kind_values(kind);
    const char *column;
    text_printf(out, "| `%s` | `%s` |", trace_kind_name(kind),
                trace_level_name(trace_kind_level(kind)));
    for (int32_t i = 0; (column = trace_kind_column(kind, i)) != NULL; i++)
        text_printf(out, "%s%s", i > 0 ? ", " : " ", column);
    text_add(out, " |");
    for (int32_t i = 0; values[i].name != NULL; i++)
        text_printf(out, " `%s`%s", values[i].name, values[i].can_be_missing ? " or -1" : "");
    text_printf(out, " | %s |\n", trace_kind_meaning(kind));
}

void trace_reference(Text *out)
{
    text_add(out,
             "A line for each record, after a line with the version of the format, the level of "
             "`--trace`, the scenario, seed and start, a line with '#' for each input of the "
             "run, and the line of the columns. A column without a value has \"-\". In names a "
             "tab is \\t, the end of a line \\n, a backslash \\\\, and a name that is just "
             "\"-\" is \\-. Only integers: times in ns (`_ns`), money in millionths of a dollar "
             "(`micro_usd`), shares and speeds in millionths (`_ppm`).\n");
    add_columns(out);
    text_add(out,
             "\nEach record has the columns that its row names; it may have others. A value that "
             "is -1 is unknown. The level of `--trace` includes those before it: `jobs`, "
             "`epochs`, `steps`.\n\n"
             "| record | level | columns | values | meaning |\n"
             "| --- | --- | --- | --- | --- |\n");
    for (int kind = 0; kind < TRACE_KIND_COUNT; kind++)
        add_record(out, (TraceKind)kind);
    text_add(out, "\nCauses:");
    for (int cause = CAUSE_NONE + 1; cause < CAUSE_COUNT; cause++)
        text_printf(out, "%s `%s`", cause > CAUSE_NONE + 1 ? "," : "",
                    trace_cause_name((TraceCause)cause));
    text_add(out, ".\n");
}

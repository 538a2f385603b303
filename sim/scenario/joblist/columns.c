#include "sim/scenario/joblist/columns.h"

const JobColumn job_columns[] = {
#define X(key, member, column_kind, of_words, lowest, highest, doc)                                \
    {.name = key,                                                                                  \
     .kind = COLUMN_##column_kind,                                                                 \
     .offset = offsetof(JobList, member),                                                          \
     .words = offsetof(JobList, of_words),                                                         \
     .least = lowest,                                                                              \
     .most = highest},
    JOB_COLUMNS(X)
#undef X
};

void job_list_reference(Text *out)
{
    static const char *const docs[] = {
#define X(key, member, column_kind, of_words, lowest, highest, doc) doc,
        JOB_COLUMNS(X)
#undef X
    };
    static const char *const kinds[] = {
        [COLUMN_NAME] = "text",   [COLUMN_TIME] = "number", [COLUMN_COUNT] = "integer",
        [COLUMN_BYTES] = "bytes", [COLUMN_WORD] = "text",   [COLUMN_JOB] = "name of a job",
    };
    text_add(out,
             "\n## Workload files\n\nThe `trace` of a workload, as `trainyard import` writes it: "
             "CSV in UTF-8, a row a job in the order of submission. Lines before the header that "
             "begin with `#` are comments. The header names the columns in any order. Times are "
             "seconds since the begin of the list, with up to 9 decimals. An empty cell is "
             "unknown; a text with a comma or a quote is in double quotes.\n\n"
             "| column | kind | default | meaning |\n| --- | --- | --- | --- |\n");
    for (int32_t c = 0; c < JOB_COLUMN_COUNT; c++)
        text_printf(out, "| `%s` | %s | %s | %s |\n", job_columns[c].name,
                    kinds[job_columns[c].kind], c < JOB_COLUMNS_NEEDED ? "required" : "", docs[c]);
}

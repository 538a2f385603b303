#include "sim/study/import/import.h"

#include <inttypes.h>

#include "sim/base/units.h"

static bool check_files(const ImportRequest *request, Problems *problems)
{
    const int32_t most = request->format->files_max;
    if (most == 0 || request->file_count <= most)
        return true;
    problems_add(problems, STATUS_BAD_INPUT, place_in(request->files[most].path, 0, 0),
                 "the format %s has at most %d files", request->format->name, most);
    return false;
}

/* No job is left: the rule that dropped the most rows is the reason. */
static bool fail_empty(const Import *import, Problems *problems)
{
    int32_t most = 0;
    const RuleCount *counts = import->log.counts;
    for (int32_t i = 1; i < RULE_COUNT; i++)
        if (import_rules[i].effect == RULE_DROPPED && counts[i].count > counts[most].count)
            most = i;
    Status *status =
        problems_add(problems, STATUS_BAD_INPUT, place_in(import->request->files[0].path, 0, 0),
                     "no job of the log is left");
    if (counts[most].count > 0)
        status_hint(status, "%" PRId64 " of %" PRId64 " rows: %s", counts[most].count,
                    import->log.rows, import_rules[most].words);
    return false;
}

enum { HOUR_S = 3600 };

/* Notes the share of jobs that had not ended. A job of length L that runs at an instant which does
 * not depend on it began at a uniform time of the L before: on average it is half over. */
static void note_open_jobs(Import *import)
{
    const ImportSelection *selection = &import->selection;
    const int64_t row = selection->open_longest;
    Text end = {0}, longest = {0};
    if (row < 0)
        return;
    const ImportJob *job = selection->jobs[row];
    const int64_t per_mille =
        mul_div(selection->open_gpu_s, 1000, selection->gpu_s > 0 ? selection->gpu_s : 1);
    import_time_print(import, import->log.end_ns, &end);
    duration_print(&longest, selection->list.run_ns[row]);
    import_note(&import->log,
                "%" PRId64 " job%s had not ended when the log was taken: at %s, the latest time in "
                "it (line %" PRId32 "). With the time until then such jobs have %" PRId64
                " GPU-hours, %" PRId64 ".%" PRId64
                " %% of all; the longest run is %s (line %" PRId32
                "). These are lower bounds: at a steady load a job that is found running is half "
                "over on average, so that the log shows about that share too little.",
                selection->open_jobs, plural(selection->open_jobs), text_string(&end),
                import->log.end_at.line, selection->open_gpu_s / HOUR_S, per_mille / 10,
                per_mille % 10, text_string(&longest), job->line);
    text_free(&end);
    text_free(&longest);
}

bool import_run(Arena *arena, const ImportRequest *request, Import *import, Problems *problems)
{
    Status status = {0};
    const int32_t problems_before = problems->count;
    *import = (Import){.request = request};
    if (!check_files(request, problems))
        return false;
    if (!import_options_read(arena, request->choices, request->format->zone, &import->options,
                             &status)) {
        problems_add_status(problems, &status);
        return false;
    }
    import->log = import_log_create(arena, &import->options, problems);
    import_format_read(request->format, &import->log, request->files, request->file_count);
    if (problems->count != problems_before)
        return false;
    import->selection = import_select(&import->log);
    note_open_jobs(import);
    import->digests = arena_alloc_array(arena, (size_t)request->file_count, SHA256_TEXT);
    for (int32_t i = 0; i < request->file_count; i++)
        sha256_text(request->files[i].text, request->files[i].length, import->digests[i]);
    if (import->selection.list.count > 0 || request->choices->only_counts)
        return true;
    return fail_empty(import, problems);
}

void import_free(Import *import)
{
    import_log_free(&import->log);
}

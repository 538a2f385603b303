#include "sim/study/import/import.h"

#include <inttypes.h>
#include <string.h>

static bool check_files(const ImportRequest *request, Problems *problems)
{
    const int32_t most = request->format->files_max;
    if (most == 0 || request->file_count <= most)
        return true;
    problems_add(problems, STATUS_BAD_INPUT, place_in(request->files[most].path, 0, 0),
                 "the format %s has at most %d files", request->format->name, most);
    return false;
}

/* A compressed log would be reported as a table with strange names of columns. */
static bool refuse_compressed(const ImportRequest *request, Problems *problems)
{
    static const struct {
        const char *begin, *name, *command;
    } kinds[] = {{"\x1f\x8b", "gzip", "gunzip"},
                 {"BZh", "bzip2", "bunzip2"},
                 {"\xfd"
                  "7zXZ",
                  "xz", "unxz"},
                 {"\x28\xb5\x2f\xfd", "zstd", "unzstd"},
                 {"PK\x03\x04", "zip", "unzip"}};
    const int32_t problems_before = problems->count;
    for (int32_t i = 0; i < request->file_count; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            const ImportFile *file = &request->files[i];
            const size_t length = strlen(kinds[k].begin);
            if (file->length >= length && memcmp(file->text, kinds[k].begin, length) == 0)
                status_hint(problems_add(problems, STATUS_BAD_INPUT, place_in(file->path, 0, 0),
                                         "the file is compressed (%s)", kinds[k].name),
                            "`%s %s` first", kinds[k].command, file->path);
        }
    return problems->count == problems_before;
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

bool import_run(Arena *arena, const ImportRequest *request, Import *import, Problems *problems)
{
    Status status = {0};
    const int32_t problems_before = problems->count;
    *import = (Import){.request = request};
    if (!check_files(request, problems) || !refuse_compressed(request, problems))
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
    import_note_log(import);
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

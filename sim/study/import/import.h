/* Traces of real clusters become workload files (sim/scenario/joblist).
 *
 *     Import import;
 *     if (import_run(arena, &request, &import, problems))
 *         ... job_list_write(&import.selection.list, ...), import_sidecar(arena, &import)
 *
 * An import is a pure function of the files and the options: no clock, no locale, no database of
 * time zones. */
#ifndef SIM_STUDY_IMPORT_IMPORT_H
#define SIM_STUDY_IMPORT_IMPORT_H

#include "sim/json/json.h"
#include "sim/study/import/format.h"
#include "sim/study/import/selection.h"
#include "sim/study/import/sha256.h"

typedef struct {
    const ImportFormat *format;
    const ImportFile *files; /* [file_count] */
    int32_t file_count;
    const ImportChoices *choices; /* as the user wrote them, for the sidecar */
} ImportRequest;

typedef struct {
    const ImportRequest *request;
    ImportOptions options;
    ImportLog log;
    ImportSelection selection;
    char (*digests)[SHA256_TEXT]; /* of each file */
} Import;

/* Reads the files. False with problems: STATUS_BAD_INPUT at line and column, or for an option. All
 * memory is `arena`'s, except what import_free frees. Both outcomes need import_free. */
MUST_CHECK bool import_run(Arena *arena, const ImportRequest *request, Import *import,
                           Problems *problems);
void import_free(Import *import);

/* The sidecar NAME.import.json: sources with SHA-256, options, zone, and the counts of all rules.
 */
Json *import_sidecar(Arena *arena, const Import *import);
/* A few lines for people: what was read, written, dropped and mended. */
void import_summary(const Import *import, Text *out);
/* Notes what the selected jobs lack, and by how much their demand may be understated. */
void import_note_log(Import *import);
/* Notes how many jobs are never drawn if each run draws pieces of this length from the list. */
void import_note_pieces(Import *import, int64_t piece_ns);
/* An instant of the log as "2017-10-01T17:57:00-07:00", or a time since its begin as seconds. */
void import_time_print(const Import *import, int64_t ns, Text *out);

#endif

/* Private to sim/study/import: what an import did, for programs and for people. */
#include <inttypes.h>
#include <string.h>

#include "sim/base/capped.h"
#include "sim/base/civil_time.h"
#include "sim/base/units.h"
#include "sim/cloud/spec/resample.h"
#include "sim/study/import/import.h"
#include "sim/study/statistics/trend.h"

enum { HOUR_S = 3600 };

void import_time_print(const Import *import, int64_t ns, Text *out)
{
    if (!import->log.has_calendar) {
        seconds_print(out, ns);
        text_add(out, " s");
        return;
    }
    Zone zone = import->log.zone;
    const int32_t offset_s = zone_offset_s(&zone, ns / NS_PER_S);
    const CivilTime civil = civil_from_unix_ms((ns / NS_PER_S + offset_s) * 1000);
    const int32_t minutes = (offset_s < 0 ? -offset_s : offset_s) / 60;
    text_printf(out, "%04d-%02d-%02dT%02d:%02d:%02d%c%02d:%02d", civil.year, civil.month, civil.day,
                civil.hour, civil.minute, civil.second, offset_s < 0 ? '-' : '+', minutes / 60,
                minutes % 60);
}

static void put_time(Arena *arena, const Import *import, Json *object, const char *key, int64_t ns)
{
    Text text = {0};
    import_time_print(import, ns, &text);
    json_put_text(arena, object, key, text_string(&text));
    text_free(&text);
}

/* --- Options --- */

static void put_texts(Arena *arena, Json *object, const char *key, ImportTexts texts)
{
    if (texts.count == 0)
        return;
    Json *array = json_put_array(arena, object, key);
    for (int32_t i = 0; i < texts.count; i++)
        json_add(array, json_string(arena, texts.items[i]));
}

static void put_given(Arena *arena, Json *object, const char *key, const char *value)
{
    if (value != NULL)
        json_put_text(arena, object, key, value);
}

static void put_count(Arena *arena, Json *object, const char *key, int64_t value)
{
    if (value != 0)
        json_put_integer(arena, object, key, value);
}

/* The options that change results, also those that keep their defaults if they always apply. */
static Json *options_json(Arena *arena, const Import *import)
{
    const ImportChoices *choices = import->request->choices;
    Json *options = json_object(arena);
    json_put_text(arena, options, "attempts", attempt_rule_names[choices->attempts]);
    json_put_text(arena, options, "states", state_rule_names[choices->states]);
    json_put_text(arena, options, "cpu-jobs", cpu_job_rule_names[choices->cpu_jobs]);
    put_given(arena, options, "window", choices->window);
    put_texts(arena, options, "queue", choices->queues);
    put_given(arena, options, "scale-load", choices->scale_load);
    put_given(arena, options, "thin", choices->thin);
    put_count(arena, options, "thin-seed", choices->thin_seed);
    put_texts(arena, options, "map-gpu-type", choices->map_gpu_types);
    put_given(arena, options, "requested", choices->requested);
    put_given(arena, options, "clamp-run", choices->clamp_run);
    put_count(arena, options, "processors-per-node", choices->processors_per_node);
    put_count(arena, options, "gpus-per-node-max", choices->gpus_per_node_max);
    put_given(arena, options, "columns", choices->columns);
    put_given(arena, options, "separator", choices->separator);
    put_texts(arena, options, "run-time", choices->run_times);
    put_given(arena, options, "gpu-type", choices->gpu_type);
    if (choices->skips_malformed)
        json_put_boolean(arena, options, "skip-malformed", true);
    return options;
}

/* --- The sidecar --- */

static void put_sources(Arena *arena, const Import *import, Json *root)
{
    Json *sources = json_put_array(arena, root, "sources");
    for (int32_t i = 0; i < import->request->file_count; i++) {
        const ImportFile *file = &import->request->files[i];
        const char *slash = strrchr(file->path, '/');
        Json *source = json_add(sources, json_object(arena));
        json_put_text(arena, source, "file", slash != NULL ? slash + 1 : file->path);
        json_put_integer(arena, source, "bytes", (int64_t)file->length);
        json_put_text(arena, source, "sha256", import->digests[i]);
    }
}

static void put_rules(Arena *arena, const Import *import, Json *root, RuleEffect effect)
{
    Json *rules = json_put_array(arena, root, rule_effect_names[effect]);
    for (int32_t i = 0; i < RULE_COUNT; i++) {
        const RuleCount *count = &import->log.counts[i];
        if (import_rules[i].effect != effect || count->count == 0)
            continue;
        Json *rule = json_add(rules, json_object(arena));
        json_put_text(arena, rule, "rule", import_rules[i].key);
        json_put_integer(arena, rule, "count", count->count);
        json_put_text(arena, rule, "what", import_rules[i].words);
        json_put_integer(arena, rule, "first_line", count->first.line);
    }
}

static void put_notes(Arena *arena, const Import *import, Json *root)
{
    Json *notes = json_put_array(arena, root, "notes");
    for (const char *note = text_string(&import->log.notes); *note != '\0';) {
        const size_t length = strcspn(note, "\n");
        json_add(notes, json_string(arena, arena_strndup(arena, note, length)));
        note += length + (note[length] == '\n');
    }
}

Json *import_sidecar(Arena *arena, const Import *import)
{
    const ImportSelection *selection = &import->selection;
    Json *root = json_object(arena);
    json_put_integer(arena, root, "trainyard_import", 1);
    json_put_text(arena, root, "format", import->request->format->name);
    put_sources(arena, import, root);
    json_set(arena, root, "options", options_json(arena, import));
    json_put_text(arena, root, "timezone", import->log.zone.name);
    json_put_boolean(arena, root, "has_calendar", import->log.has_calendar);
    json_put_boolean(arena, root, "has_dates", import->log.has_dates);
    put_time(arena, import, root, "time_0", selection->origin_ns);
    json_put_integer(arena, root, "rows_read", import->log.rows);
    json_put_integer(arena, root, "jobs", selection->list.count);
    json_put_integer(arena, root, "queues", selection->queue_count);
    json_put_integer(arena, root, "gpu_hours", selection->gpu_s / HOUR_S);
    json_put_integer(arena, root, "gpus_most", selection->gpus_most);
    if (import->log.end_ns >= 0)
        put_time(arena, import, root, "log_end", import->log.end_ns);
    json_put_integer(arena, root, "open_jobs", selection->open_jobs);
    json_put_integer(arena, root, "open_gpu_hours", selection->open_gpu_s / HOUR_S);
    for (int32_t effect = 0; effect < RULE_EFFECT_COUNT; effect++)
        put_rules(arena, import, root, (RuleEffect)effect);
    put_notes(arena, import, root);
    return root;
}

/* --- Notes: what the log lacks, and by how much its demand may be understated --- */

static const char *time_text(Import *import, int64_t ns)
{
    Text text = {0};
    import_time_print(import, ns, &text);
    return text_move(import->log.arena, &text);
}

static const char *duration_text(Import *import, int64_t ns)
{
    Text text = {0};
    duration_print(&text, ns);
    return text_move(import->log.arena, &text);
}

/* A time of the list as --window takes it: a date of the log, or a duration since the first
 * submission. */
static const char *bound_text(Import *import, int64_t since_ns)
{
    return import->log.has_calendar
               ? time_text(import, capped_sum(import->selection.origin_ns, since_ns))
               : arena_printf(import->log.arena, "%" PRId64 "s", since_ns / NS_PER_S);
}

/* "78.0 %" */
static const char *share_text(Import *import, int64_t part, int64_t whole)
{
    const int64_t per_mille = whole > 0 ? mul_div(part, 1000, whole) : 0;
    return arena_printf(import->log.arena, "%" PRId64 ".%" PRId64 " %%", per_mille / 10,
                        per_mille % 10);
}

/* Notes the share of jobs that had not ended. A job of length L that runs at an instant which does
 * not depend on it began at a uniform time of the L before: on average it is half over. */
static void note_open_jobs(Import *import)
{
    const ImportSelection *selection = &import->selection;
    const Place at = import->log.end_at;
    const int64_t row = selection->open_longest;
    if (row < 0)
        return;
    const char *name = selection->jobs[row]->name;
    import_note(&import->log,
                "%" PRId64 " job%s had not ended when the log was taken: at %s, the latest time in "
                "it (%s:%" PRId32 "). With the time until then such jobs have %" PRId64
                " GPU-hours, %s of all; the longest run is %s%s%s. These are lower bounds: at a "
                "steady load a job that is found running is half over on average, so that the log "
                "shows about that share too little.",
                selection->open_jobs, plural(selection->open_jobs),
                time_text(import, import->log.end_ns), at.source, at.line,
                selection->open_gpu_s / HOUR_S,
                share_text(import, selection->open_gpu_s, selection->gpu_s),
                duration_text(import, selection->list.run_ns[row]), name != NULL ? ", of job " : "",
                name != NULL ? name : "");
}

/* A list of the jobs that ran in a period, as `sacct -S` gives it, has those that were submitted
 * before and were still there: only the longest ones. Its first time then has fewer submissions
 * than a whole log would. Such a log begins when its first job ends. Returns the first row of the
 * time in which it has all jobs. */
static int64_t note_begin(Import *import)
{
    enum { EXPECTED_LEAST = 10 };
    const JobList *list = &import->selection.list;
    int64_t begin_ns = INT64_MAX;
    for (int64_t i = 0; i < list->count; i++) {
        const int64_t wait_ns = import->selection.jobs[i]->wait_ns;
        const int64_t end_ns =
            capped_sum(capped_sum(list->submit_ns[i], wait_ns > 0 ? wait_ns : 0), list->run_ns[i]);
        begin_ns = end_ns < begin_ns ? end_ns : begin_ns;
    }
    const int64_t last_ns = list->count > 0 ? list->submit_ns[list->count - 1] : 0;
    if (last_ns <= begin_ns || list->submit_ns[0] >= begin_ns)
        return 0;
    const int64_t before = resample_row_at(list, begin_ns);
    const int64_t expected =
        capped_proportion(list->count - before, begin_ns - list->submit_ns[0], last_ns - begin_ns);
    if (expected < EXPECTED_LEAST || 2 * before > expected)
        return 0;
    import_note(
        &import->log,
        "The log seems to begin at %s, when its first job ended: in the %s before that only "
        "%" PRId64 " job%s of the list %s submitted, and %" PRId64 " would have been at the "
        "rate of the time after it. The list lacks earlier jobs that had ended by "
        "then; --window %s.. leaves out that time.",
        bound_text(import, begin_ns), duration_text(import, begin_ns - list->submit_ns[0]), before,
        plural(before), before == 1 ? "was" : "were", expected, bound_text(import, begin_ns));
    return before;
}

/* A long time without submissions: a cluster or its accounts that were down, or holidays. */
static void note_gap(Import *import, int64_t first)
{
    enum { EXPECTED_LEAST = 20, DAYS_LEAST = 3 };
    const JobList *list = &import->selection.list;
    int64_t longest = first;
    for (int64_t i = first + 1; i < list->count; i++)
        if (list->submit_ns[i] - list->submit_ns[i - 1] >
            list->submit_ns[longest + 1] - list->submit_ns[longest])
            longest = i - 1;
    if (list->count < first + 2)
        return;
    const int64_t gap_ns = list->submit_ns[longest + 1] - list->submit_ns[longest];
    const int64_t rest_ns = list->submit_ns[list->count - 1] - list->submit_ns[first] - gap_ns;
    const int64_t expected =
        rest_ns > 0 ? capped_proportion(list->count - first, gap_ns, rest_ns) : 0;
    if (gap_ns < DAYS_LEAST * NS_PER_DAY || expected < EXPECTED_LEAST)
        return;
    import_note(&import->log,
                "No job was submitted for %s from %s on, when %" PRId64 " would have been at the "
                "rate of the other times. If the cluster or its records were down, the log shows "
                "too little; --window takes a part of it.",
                duration_text(import, gap_ns), bound_text(import, list->submit_ns[longest]),
                expected);
}

void import_note_log(Import *import)
{
    note_gap(import, note_begin(import));
    note_open_jobs(import);
}

void import_note_pieces(Import *import, int64_t piece_ns)
{
    const JobList *list = &import->selection.list;
    const int64_t pieces = resample_pieces(list, piece_ns);
    const int64_t rows = resample_row_at(list, pieces * piece_ns);
    int64_t gpu_ms = 0;
    for (int64_t i = rows; i < list->count; i++)
        gpu_ms = capped_sum(gpu_ms, capped_product(list->gpus[i], list->run_ns[i] / NS_PER_MS));
    if (rows == list->count)
        return;
    import_note(&import->log,
                "Runs draw from %" PRId64 " pieces of %s. The %" PRId64
                " job%s after the last whole piece, with %s of the GPU-hours, %s never drawn.",
                pieces, duration_text(import, piece_ns), list->count - rows,
                plural(list->count - rows),
                share_text(import, gpu_ms / 1000, import->selection.gpu_s),
                list->count - rows == 1 ? "is" : "are");
}

/* --- For people --- */

/* "GPU-hours of a week change by 3.8 % a month (95 %: -5.0 to 11.4 %)". */
static void print_trend(const JobList *list, Text *out)
{
    const int64_t week_ns = 7 * NS_PER_DAY;
    const Interval trend = trend_of_jobs(list, week_ns);
    if (!trend_is_known(&trend))
        return;
    text_add(out, "GPU-hours of a week change by ");
    trend_print(out, &trend, week_ns);
    if (trend_is_sure(&trend))
        text_printf(out, ": in the last they are %.2f times their mean\n",
                    trend_end(&trend, (double)resample_pieces(list, week_ns)));
    else
        text_add(out, ", so no trend is sure\n");
}

/* "On average 47.1 GPUs are busy in the 93 d 21 h of submissions": no fewer will do. */
static void print_busy(const ImportSelection *selection, Text *out)
{
    const JobList *list = &selection->list;
    const int64_t span_s = list->count > 0 ? list->submit_ns[list->count - 1] / NS_PER_S : 0;
    if (span_s < HOUR_S)
        return;
    const int64_t tenths = mul_div(selection->gpu_s, 10, span_s);
    text_printf(out, "on average %" PRId64 ".%" PRId64 " GPUs are busy, over the ", tenths / 10,
                tenths % 10);
    duration_print(out, span_s * NS_PER_S);
    text_add(out, " of submissions: fewer do not suffice\n");
}

void import_summary(const Import *import, Text *out)
{
    const ImportSelection *selection = &import->selection;
    text_printf(out, "%" PRId64 " row%s read, %" PRId64 " job%s", import->log.rows,
                plural(import->log.rows), selection->list.count, plural(selection->list.count));
    if (selection->queue_count > 0)
        text_printf(out, " in %d queue%s", selection->queue_count, plural(selection->queue_count));
    text_printf(out, ", %" PRId64 " GPU-hours, at most %d GPU%s a job\n", selection->gpu_s / HOUR_S,
                selection->gpus_most, plural(selection->gpus_most));
    print_busy(selection, out);
    if (selection->list.count > 0) {
        text_add(out, "time 0 is ");
        import_time_print(import, selection->origin_ns, out);
        text_add(out, "\n");
        print_trend(&selection->list, out);
    }
    for (int32_t effect = 0; effect < RULE_EFFECT_COUNT; effect++)
        for (int32_t i = 0; i < RULE_COUNT; i++)
            if (import_rules[i].effect == (RuleEffect)effect && import->log.counts[i].count > 0)
                text_printf(out, "%s: %" PRId64 " %s\n", rule_effect_names[effect],
                            import->log.counts[i].count, import_rules[i].words);
    if (import->log.notes.length > 0)
        text_printf(out, "%s", text_string(&import->log.notes));
}

#include "sim/study/import/options.h"

#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/joblist/cells.h"
#include "sim/study/import/stamp.h"

const char *const attempt_rule_names[] = {
#define X(name, text) text,
    ATTEMPT_RULES(X)
#undef X
        NULL};
const char *const state_rule_names[] = {
#define X(name, text) text,
    STATE_RULES(X)
#undef X
        NULL};
const char *const cpu_job_rule_names[] = {
#define X(name, text) text,
    CPU_JOB_RULES(X)
#undef X
        NULL};

typedef struct {
    Arena *arena;
    const ImportChoices *choices;
    ImportOptions *options;
    Status *status;
} Reader;

static Place place_of(const char *option)
{
    return place_in(option, 0, 0);
}

static Cell cell_of(const char *text)
{
    return (Cell){.text = text, .length = (int32_t)strlen(text)};
}

static bool read_zone(Reader *reader, const char *default_zone)
{
    const char *name = reader->choices->timezone;
    reader->options->has_zone = name != NULL;
    if (zone_find(reader->arena, name != NULL ? name : default_zone, &reader->options->zone))
        return true;
    status_fail(reader->status, STATUS_BAD_INPUT, place_of("--timezone"), "unknown zone \"%s\"",
                name);
    return status_hint(reader->status, "zones are UTC, fixed offsets such as +08:00, and: "
                                       "America/Los_Angeles, America/Denver, America/Chicago, "
                                       "America/New_York, Europe/London, Europe/Berlin, "
                                       "Europe/Helsinki, Asia/Kolkata, Asia/Shanghai, Asia/Tokyo");
}

/* A positive factor in ppm; `*ppm` is unchanged for NULL. */
static bool read_factor(Reader *reader, const char *option, const char *text, int64_t most_ppm,
                        int64_t *ppm)
{
    if (text == NULL)
        return true;
    if (cell_scaled(cell_of(text), 6, ppm) == CELL_READ && *ppm > 0 && *ppm <= most_ppm)
        return true;
    status_fail(reader->status, STATUS_BAD_INPUT, place_of(option),
                "\"%s\" is not a number above 0 and up to %d with at most 6 decimals", text,
                (int)(most_ppm / PPM));
    return false;
}

/* Cuts "A..B" into two copies; either may be "". */
static bool cut_range(Reader *reader, const char *option, const char *text, const char **from,
                      const char **to)
{
    const char *dots = strstr(text, "..");
    if (dots == NULL) {
        status_fail(reader->status, STATUS_BAD_INPUT, place_of(option), "\"%s\": expected FROM..TO",
                    text);
        return status_hint(reader->status,
                           "as in 2d..9d, from the first job on, or 2017-10-03..2017-10-10");
    }
    *from = arena_strndup(reader->arena, text, (size_t)(dots - text));
    *to = arena_strdup(reader->arena, dots + 2);
    return true;
}

/* A date in the zone, or a duration. */
static bool read_bound(Reader *reader, const char *text, bool *is_calendar, int64_t *ns)
{
    LocalKind kind;
    if (text[0] == '\0')
        return true;
    *is_calendar = stamp_read(cell_of(text), &reader->options->zone, 0, ns, &kind);
    if (*is_calendar)
        return true;
    if (duration_parse(text, place_of("--window"), ns, reader->status))
        return true;
    return status_hint(reader->status, "a window is two dates, \"2017-10-01..2017-11-01\", or two "
                                       "durations since the first submission, \"0s..7d\"");
}

static bool read_window(Reader *reader)
{
    ImportOptions *options = reader->options;
    const char *text = reader->choices->window, *from = "", *to = "";
    options->window = (ImportRange){INT64_MIN, INT64_MAX};
    options->has_window = text != NULL;
    if (text == NULL)
        return true;
    bool from_is_date = false, to_is_date = false;
    if (!cut_range(reader, "--window", text, &from, &to) ||
        !read_bound(reader, from, &from_is_date, &options->window.from_ns) ||
        !read_bound(reader, to, &to_is_date, &options->window.to_ns))
        return false;
    if (from[0] != '\0' && to[0] != '\0' && from_is_date != to_is_date)
        return status_fail(reader->status, STATUS_BAD_INPUT, place_of("--window"),
                           "\"%s\": one end is a date, the other a duration", text);
    options->window_is_calendar = from_is_date || to_is_date;
    if (options->window.from_ns >= options->window.to_ns)
        return status_fail(reader->status, STATUS_BAD_INPUT, place_of("--window"),
                           "\"%s\": its end is not after its begin", text);
    return true;
}

static bool read_clamp(Reader *reader)
{
    const char *text = reader->choices->clamp_run, *from = "", *to = "";
    ImportRange *clamp = &reader->options->clamp;
    *clamp = (ImportRange){INT64_MIN, INT64_MAX};
    if (text == NULL)
        return true;
    const Place at = place_of("--clamp-run");
    if (!cut_range(reader, at.source, text, &from, &to) ||
        (from[0] != '\0' && !duration_parse(from, at, &clamp->from_ns, reader->status)) ||
        (to[0] != '\0' && !duration_parse(to, at, &clamp->to_ns, reader->status)))
        return false;
    return clamp->from_ns <= clamp->to_ns ||
           status_fail(reader->status, STATUS_BAD_INPUT, at, "\"%s\": its end is below its begin",
                       text);
}

static bool read_requested(Reader *reader)
{
    const char *text = reader->choices->requested, *from = "", *to = "";
    ImportOptions *options = reader->options;
    if (text == NULL || strcmp(text, "column") == 0)
        return true;
    const int64_t factor_max_ppm = 1000 * PPM;
    if (strncmp(text, "run*", 4) != 0) {
        status_fail(reader->status, STATUS_BAD_INPUT, place_of("--requested"),
                    "\"%s\" is not a rule", text);
        return status_hint(reader->status, "rules are column, run*2 and run*1.2..5 (a factor drawn "
                                           "for each job)");
    }
    options->requests_from_run = true;
    from = to = text + 4;
    if (strstr(from, "..") != NULL && !cut_range(reader, "--requested", from, &from, &to))
        return false;
    return read_factor(reader, "--requested", from, factor_max_ppm, &options->request_least_ppm) &&
           read_factor(reader, "--requested", to, factor_max_ppm, &options->request_most_ppm) &&
           (options->request_least_ppm <= options->request_most_ppm ||
            status_fail(reader->status, STATUS_BAD_INPUT, place_of("--requested"),
                        "\"%s\": its end is below its begin", text));
}

/* "A=B", one a text. */
static bool read_mappings(Reader *reader, const char *option, ImportTexts texts,
                          ImportMapping **mappings, int32_t *count)
{
    *mappings = ARENA_ARRAY(reader->arena, ImportMapping, texts.count);
    *count = texts.count;
    for (int32_t i = 0; i < texts.count; i++) {
        const char *sign = strchr(texts.items[i], '=');
        if (sign == NULL || sign == texts.items[i] || sign[1] == '\0')
            return status_fail(reader->status, STATUS_BAD_INPUT, place_of(option),
                               "\"%s\": expected NAME=VALUE", texts.items[i]);
        (*mappings)[i] = (ImportMapping){
            arena_strndup(reader->arena, texts.items[i], (size_t)(sign - texts.items[i])),
            sign + 1};
    }
    return true;
}

static bool read_run_times(Reader *reader)
{
    ImportOptions *options = reader->options;
    if (!read_mappings(reader, "--run-time", reader->choices->run_times, &options->run_times,
                       &options->run_time_count))
        return false;
    options->run_time_ns = ARENA_ARRAY(reader->arena, int64_t, options->run_time_count);
    for (int32_t i = 0; i < options->run_time_count; i++)
        if (!duration_parse(options->run_times[i].to, place_of("--run-time"),
                            &options->run_time_ns[i], reader->status))
            return false;
    return true;
}

static bool read_separator(Reader *reader)
{
    const char *text = reader->choices->separator;
    reader->options->separator = ',';
    if (text == NULL)
        return true;
    const bool is_tab = strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0;
    if (!is_tab && (strlen(text) != 1 || strchr(",;|\t ", text[0]) == NULL)) {
        status_fail(reader->status, STATUS_BAD_INPUT, place_of("--separator"),
                    "\"%s\" is not a separator", text);
        return status_hint(reader->status, "separators are \",\" \";\" \"|\" \" \" and tab");
    }
    reader->options->separator = is_tab ? '\t' : text[0];
    return true;
}

bool import_options_read(Arena *arena, const ImportChoices *choices, const char *default_zone,
                         ImportOptions *options, Status *status)
{
    Reader reader = {arena, choices, options, status};
    *options = (ImportOptions){
        .attempts = (AttemptRule)choices->attempts,
        .states = (StateRule)choices->states,
        .cpu_jobs = (CpuJobRule)choices->cpu_jobs,
        .queues = choices->queues,
        .scale_load_ppm = PPM,
        .thin_ppm = PPM,
        .thin_seed = choices->thin_seed,
        .processors_per_node = (int32_t)choices->processors_per_node,
        .gpus_per_node_max = (int32_t)choices->gpus_per_node_max,
        .columns = choices->columns,
        .gpu_type = choices->gpu_type,
        .skips_malformed = choices->skips_malformed,
    };
    return read_zone(&reader, default_zone) && read_window(&reader) && read_clamp(&reader) &&
           read_requested(&reader) && read_run_times(&reader) && read_separator(&reader) &&
           read_factor(&reader, "--scale-load", choices->scale_load, 1000 * PPM,
                       &options->scale_load_ppm) &&
           read_factor(&reader, "--thin", choices->thin, PPM, &options->thin_ppm) &&
           read_mappings(&reader, "--map-gpu-type", choices->map_gpu_types, &options->gpu_types,
                         &options->gpu_type_count);
}

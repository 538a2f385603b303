#include "sim/study/import/selection.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/capped.h"
#include "sim/base/philox.h"

/* Purposes of the random words of an import. Part of the results: never renumber. */
enum { DRAW_THIN = 1, DRAW_REQUEST = 2 };

/* 32 uniform bits for a job, by its place in the log. */
static uint32_t draw(const ImportLog *log, uint32_t purpose, uint32_t job)
{
    const PhiloxBlock counter = {{job, 0, purpose, 0}};
    return philox((uint64_t)log->options->thin_seed, counter).word[0];
}

static void drop(ImportLog *log, ImportJob *job, ImportRule rule)
{
    job->is_dropped = true;
    import_count_at(log, rule, place_in(log->lines.source, job->line, 1));
}

/* --- Changes of single jobs --- */

/* The new name of a kind of GPU; the same if --map-gpu-type has none. */
static Cell mapped_name(const ImportOptions *options, Cell name)
{
    for (int32_t i = 0; i < options->gpu_type_count; i++) {
        const char *from = options->gpu_types[i].from, *to = options->gpu_types[i].to;
        if (strlen(from) == (size_t)name.length && memcmp(from, name.text, strlen(from)) == 0)
            return (Cell){.text = to, .length = (int32_t)strlen(to)};
    }
    return name;
}

/* Whether one of the parts between "|" in `list` is `part`. */
static bool has_part(const char *list, const char *part)
{
    for (size_t length; *list != '\0'; list += length + (list[length] == '|')) {
        length = strcspn(list, "|");
        if (length == strlen(part) && memcmp(list, part, length) == 0)
            return true;
    }
    return false;
}

/* "V100M16=1|V100M32=1|T4=0.5" with other names of GPUs; parts that become alike are written once.
 */
static const char *mapped_words(ImportLog *log, const char *words)
{
    const char *out = "";
    for (size_t length; *words != '\0'; words += length + (words[length] == '|')) {
        length = strcspn(words, "|");
        const size_t name = strcspn(words, "|=");
        const Cell mapped =
            mapped_name(log->options, (Cell){.text = words, .length = (int32_t)name});
        const char *part = arena_printf(log->arena, "%.*s%.*s", (int)mapped.length, mapped.text,
                                        (int)(length - name), words + name);
        if (!has_part(out, part))
            out = arena_printf(log->arena, "%s%s%s", out, out[0] != '\0' ? "|" : "", part);
    }
    return out;
}

/* Renames the kinds of GPUs in a word of `table`; JOB_LIST_UNKNOWN stays. */
static int32_t map_gpu_types(ImportLog *log, WordTable *table, int32_t word)
{
    if (word < 0 || log->options->gpu_type_count == 0)
        return word;
    const char *mapped = mapped_words(log, table->texts[word]);
    return (int32_t)word_table_add(table, mapped, strlen(mapped));
}

/* Counts a job that had not ended with its time until the log was taken: these are the GPU-hours
 * that it used in the log's time. Without it the log would lack its longest jobs. */
static void end_run(ImportLog *log, ImportJob *job)
{
    const Place at = place_in(log->lines.source, job->line, 1);
    if (!job->is_open)
        return;
    if (job->open_ns >= 0)
        job->run_ns = capped_sum(job->run_ns, log->end_ns - job->open_ns);
    // A job that has outlived its limit is over, and its end was lost.
    job->is_open = !log->limits_bind || job->requested_ns < 0 || job->run_ns <= job->requested_ns;
    if (!job->is_open)
        job->run_ns = job->requested_ns;
    import_count_at(log, job->is_open ? RULE_NO_END : RULE_LOST_END, at);
}

static void clamp_run(ImportLog *log, ImportJob *job)
{
    const ImportRange clamp = log->options->clamp;
    const int64_t run_ns = job->run_ns < clamp.from_ns ? clamp.from_ns
                           : job->run_ns > clamp.to_ns ? clamp.to_ns
                                                       : job->run_ns;
    if (run_ns != job->run_ns)
        import_count_at(log, RULE_CLAMPED, place_in(log->lines.source, job->line, 1));
    job->run_ns = run_ns;
}

/* The requested time from the run time: a fixed factor, or one between two for each job. */
static void set_requested(ImportLog *log, ImportJob *job, uint32_t index)
{
    const ImportOptions *options = log->options;
    if (!options->requests_from_run)
        return;
    const int64_t range_ppm = options->request_most_ppm - options->request_least_ppm;
    const int64_t ppm =
        options->request_least_ppm + (range_ppm * (int64_t)draw(log, DRAW_REQUEST, index) >> 32);
    job->requested_ns = capped_proportion(job->run_ns, ppm, PPM);
}

static void change(ImportLog *log, ImportJob *job, uint32_t index)
{
    const int32_t most = log->options->gpus_per_node_max;
    end_run(log, job);
    clamp_run(log, job);
    job->gpu_type = map_gpu_types(log, &log->gpu_types, job->gpu_type);
    job->speeds = map_gpu_types(log, &log->speed_words, job->speeds);
    set_requested(log, job, index);
    if (job->run_ns == 0)
        import_count_at(log, RULE_ZERO_RUN, place_in(log->lines.source, job->line, 1));
    if (most > 0 && job->gpus > 0)
        job->gpus_per_node_max = job->gpus < most ? job->gpus : most;
}

/* --- Which jobs stay --- */

static bool is_wanted_queue(const ImportLog *log, const ImportJob *job)
{
    const ImportTexts queues = log->options->queues;
    for (int32_t i = 0; i < queues.count; i++)
        if (job->queue >= 0 && strcmp(log->queues.texts[job->queue], queues.items[i]) == 0)
            return true;
    return queues.count == 0;
}

static bool is_unlikely(const ImportLog *log, uint32_t index)
{
    return (int64_t)draw(log, DRAW_THIN, index) * PPM >> 32 >= log->options->thin_ppm;
}

static void drop_unwanted(ImportLog *log)
{
    const ImportOptions *options = log->options;
    for (uint32_t i = 0; i < log->count; i++) {
        ImportJob *job = &log->jobs[i];
        if (job->gpus <= 0 && options->cpu_jobs == CPU_JOBS_DROP)
            drop(log, job, RULE_NO_GPU);
        else if (options->states == STATES_COMPLETED && !job->is_completed)
            drop(log, job, RULE_INCOMPLETE);
        else if (!is_wanted_queue(log, job))
            drop(log, job, RULE_OTHER_QUEUE);
    }
}

static int64_t first_submission(const ImportLog *log)
{
    int64_t first_ns = INT64_MAX;
    for (uint32_t i = 0; i < log->count; i++)
        if (!log->jobs[i].is_dropped && log->jobs[i].submit_ns < first_ns)
            first_ns = log->jobs[i].submit_ns;
    return first_ns == INT64_MAX ? 0 : first_ns;
}

/* A limit of the window as a time of the log. */
static int64_t limit_of(const ImportOptions *options, int64_t limit_ns, int64_t first_ns)
{
    const bool is_open = limit_ns == INT64_MIN || limit_ns == INT64_MAX;
    return is_open || options->window_is_calendar ? limit_ns : capped_sum(first_ns, limit_ns);
}

/* Drops jobs outside the window; returns time 0 of the workload. */
static int64_t apply_window(ImportLog *log)
{
    const ImportOptions *options = log->options;
    const int64_t first_ns = first_submission(log);
    const int64_t from_ns = limit_of(options, options->window.from_ns, first_ns);
    const int64_t to_ns = limit_of(options, options->window.to_ns, first_ns);
    for (uint32_t i = 0; i < log->count; i++) {
        ImportJob *job = &log->jobs[i];
        if (!job->is_dropped && (job->submit_ns < from_ns || job->submit_ns >= to_ns))
            drop(log, job, RULE_OUTSIDE);
    }
    return from_ns == INT64_MIN ? first_submission(log) : from_ns;
}

static void thin(ImportLog *log)
{
    for (uint32_t i = 0; i < log->count; i++)
        if (!log->jobs[i].is_dropped && is_unlikely(log, i))
            drop(log, &log->jobs[i], RULE_THINNED);
}

/* --- Order --- */

static int by_submission(const void *left, const void *right)
{
    const ImportJob *a = *(const ImportJob *const *)left, *b = *(const ImportJob *const *)right;
    if (a->submit_ns != b->submit_ns)
        return a->submit_ns < b->submit_ns ? -1 : 1;
    return (a > b) - (a < b); // both are in one array, in the order of the log
}

/* Compares what the log states about two jobs. */
static int by_content(const ImportJob *a, const ImportJob *b)
{
    const int64_t pairs[][2] = {{a->submit_ns, b->submit_ns}, {a->run_ns, b->run_ns},
                                {a->gpus, b->gpus},           {a->queue, b->queue},
                                {a->user, b->user},           {a->wait_ns, b->wait_ns}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] != pairs[i][1])
            return pairs[i][0] < pairs[i][1] ? -1 : 1;
    return 0;
}

static int by_content_and_order(const void *left, const void *right)
{
    const ImportJob *a = *(const ImportJob *const *)left, *b = *(const ImportJob *const *)right;
    const int order = by_content(a, b);
    return order != 0 ? order : (a > b) - (a < b);
}

/* Counts jobs without a name that equal an earlier one in all columns. */
static void count_duplicates(ImportLog *log, const ImportJob *const *jobs, int64_t count)
{
    if (count == 0 || jobs[0]->name != NULL)
        return;
    const ImportJob **sorted = ARENA_ARRAY(log->arena, const ImportJob *, count);
    memcpy(sorted, jobs, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, by_content_and_order);
    for (int64_t i = 1; i < count; i++)
        if (by_content(sorted[i - 1], sorted[i]) == 0)
            import_count_at(log, RULE_DUPLICATE, place_in(log->lines.source, sorted[i]->line, 1));
}

static const ImportJob **sorted_jobs(ImportLog *log, int64_t *count)
{
    const ImportJob **jobs = ARENA_ARRAY(log->arena, const ImportJob *, log->count);
    *count = 0;
    for (uint32_t i = 0; i < log->count; i++)
        if (!log->jobs[i].is_dropped)
            jobs[(*count)++] = &log->jobs[i];
    qsort(jobs, (size_t)*count, sizeof *jobs, by_submission);
    return jobs;
}

/* --- Columns --- */

static int64_t *times_of(ImportLog *log, int64_t count)
{
    return ARENA_ARRAY(log->arena, int64_t, count);
}

/* A column of int32 or int64 members; NULL if no job has a value. */
#define COLUMN(Type, member)                                                                       \
    static const Type *column_##member(ImportLog *log, const ImportJob *const *jobs,               \
                                       int64_t count)                                              \
    {                                                                                              \
        bool is_known = false;                                                                     \
        Type *column = ARENA_ARRAY(log->arena, Type, count);                                       \
        for (int64_t i = 0; i < count; i++) {                                                      \
            column[i] = jobs[i]->member;                                                           \
            is_known |= column[i] != JOB_LIST_UNKNOWN;                                             \
        }                                                                                          \
        return is_known ? column : NULL;                                                           \
    }

COLUMN(int32_t, gpus_per_node_max)
COLUMN(int32_t, nodes)
COLUMN(int32_t, cpus)
COLUMN(int32_t, priority)
COLUMN(int32_t, queue)
COLUMN(int32_t, user)
COLUMN(int32_t, gpu_type)
COLUMN(int32_t, speeds)
COLUMN(int32_t, state)
COLUMN(int64_t, memory_bytes)
COLUMN(int64_t, requested_ns)
COLUMN(int64_t, wait_ns)

static JobListWords words_of(const WordTable *table)
{
    return (JobListWords){(int32_t)table->count, table->texts};
}

/* Submission since time 0, compressed by --scale-load to whole seconds. */
static int64_t submit_of(const ImportLog *log, const ImportJob *job, int64_t origin_ns)
{
    const int64_t since_ns = job->submit_ns - origin_ns;
    if (log->options->scale_load_ppm == PPM)
        return since_ns;
    return capped_proportion(since_ns, PPM, log->options->scale_load_ppm) / NS_PER_S * NS_PER_S;
}

static void set_needed(ImportLog *log, ImportSelection *selection)
{
    const int64_t count = selection->list.count;
    int64_t *submit_ns = times_of(log, count), *run_ns = times_of(log, count);
    int32_t *gpus = ARENA_ARRAY(log->arena, int32_t, count);
    const char **names = ARENA_ARRAY(log->arena, const char *, count);
    int64_t gpu_ms = 0, open_gpu_ms = 0, longest_ns = -1;
    for (int64_t i = 0; i < count; i++) {
        const ImportJob *job = selection->jobs[i];
        submit_ns[i] = submit_of(log, job, selection->origin_ns);
        run_ns[i] = job->run_ns;
        gpus[i] = job->gpus < 0 ? 0 : job->gpus;
        names[i] = job->name;
        const int64_t job_gpu_ms = capped_product(gpus[i], run_ns[i] / NS_PER_MS);
        gpu_ms = capped_sum(gpu_ms, job_gpu_ms);
        if (job->is_open) {
            selection->open_jobs++;
            open_gpu_ms = capped_sum(open_gpu_ms, job_gpu_ms);
            selection->open_longest = run_ns[i] > longest_ns ? i : selection->open_longest;
            longest_ns = run_ns[i] > longest_ns ? run_ns[i] : longest_ns;
        }
        const int64_t end_ns = capped_sum(submit_ns[i], run_ns[i]);
        selection->end_ns = end_ns > selection->end_ns ? end_ns : selection->end_ns;
        selection->gpus_most = gpus[i] > selection->gpus_most ? gpus[i] : selection->gpus_most;
    }
    selection->gpu_s = gpu_ms / 1000;
    selection->open_gpu_s = open_gpu_ms / 1000;
    selection->list.submit_ns = submit_ns;
    selection->list.run_ns = run_ns;
    selection->list.gpus = gpus;
    selection->list.names = count > 0 && names[0] != NULL ? names : NULL;
}

static void set_optional(ImportLog *log, ImportSelection *selection)
{
    JobList *list = &selection->list;
    const ImportJob *const *jobs = selection->jobs;
    const int64_t count = list->count;
    list->gpus_per_node_max = column_gpus_per_node_max(log, jobs, count);
    list->nodes = column_nodes(log, jobs, count);
    list->cpus = column_cpus(log, jobs, count);
    list->priority = column_priority(log, jobs, count);
    list->memory_bytes = column_memory_bytes(log, jobs, count);
    list->requested_ns = column_requested_ns(log, jobs, count);
    list->recorded_wait_ns = column_wait_ns(log, jobs, count);
    list->queue = column_queue(log, jobs, count);
    list->user = column_user(log, jobs, count);
    list->gpu_type = column_gpu_type(log, jobs, count);
    list->speeds = column_speeds(log, jobs, count);
    list->state = column_state(log, jobs, count);
    list->queues = words_of(&log->queues);
    list->users = words_of(&log->users);
    list->gpu_types = words_of(&log->gpu_types);
    list->speed_words = words_of(&log->speed_words);
    list->states = words_of(&log->states);
}

/* Jobs that follow others: from places in the log to rows of the list. A leader that is not in an
 * earlier row is lost. */
static void set_leaders(ImportLog *log, ImportSelection *selection)
{
    const int64_t count = selection->list.count;
    int64_t *rows = ARENA_ARRAY(log->arena, int64_t, log->count);
    int64_t *after = times_of(log, count), *think_ns = times_of(log, count);
    bool is_known = false;
    for (uint32_t i = 0; i < log->count; i++)
        rows[i] = JOB_LIST_UNKNOWN;
    for (int64_t i = 0; i < count; i++) {
        const ImportJob *job = selection->jobs[i];
        after[i] = job->after >= 0 ? rows[job->after] : JOB_LIST_UNKNOWN;
        if (job->after >= 0 && after[i] < 0)
            import_count_at(log, RULE_NO_LEADER, place_in(log->lines.source, job->line, 1));
        think_ns[i] = after[i] >= 0 ? job->think_ns : JOB_LIST_UNKNOWN;
        rows[job - log->jobs] = i;
        is_known |= after[i] >= 0;
    }
    selection->list.after_job = is_known ? after : NULL;
    selection->list.think_ns = is_known ? think_ns : NULL;
}

static int32_t count_queues(ImportLog *log, const JobList *list)
{
    bool *has_jobs = ARENA_ARRAY(log->arena, bool, log->queues.count + 1);
    int32_t count = 0;
    for (int64_t i = 0; list->queue != NULL && i < list->count; i++) {
        bool *seen = &has_jobs[list->queue[i] + 1];
        count += !*seen;
        *seen = true;
    }
    return count;
}

ImportSelection import_select(ImportLog *log)
{
    ImportSelection selection = {.open_longest = JOB_LIST_UNKNOWN};
    drop_unwanted(log);
    selection.origin_ns = apply_window(log);
    thin(log);
    for (uint32_t i = 0; i < log->count; i++)
        if (!log->jobs[i].is_dropped)
            change(log, &log->jobs[i], i);
    selection.jobs = sorted_jobs(log, &selection.list.count);
    count_duplicates(log, selection.jobs, selection.list.count);
    set_needed(log, &selection);
    set_optional(log, &selection);
    set_leaders(log, &selection);
    selection.queue_count = count_queues(log, &selection.list);
    return selection;
}

/* Private to sim/study/import: cluster_job_log of Microsoft's Philly traces, one array of jobs:
 *
 *     {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1506638472019_14199",
 *      "user": "ce2f4c", "submitted_time": "2017-10-07 01:11:39",
 *      "attempts": [{"start_time": "2017-10-07 01:12:09", "end_time": "2017-10-07 01:13:23",
 *                    "detail": [{"ip": "m47", "gpus": ["gpu0", "gpu1"]}]}]}
 *
 * Times are of US Pacific time. A time that is null, "" or "None" is unknown. */
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/capped.h"
#include "sim/study/import/format.h"
#include "sim/study/import/json_scan.h"
#include "sim/study/import/stamp.h"

typedef struct {
    Cell start, end;
    int32_t gpus;
} Attempt;

typedef struct {
    Cell status, vc, id, user, submitted;
    Attempt *attempts;
    uint32_t count, capacity;
} Job;

typedef struct {
    ImportLog *log;
    JsonScan scan;
    Job job;
    const char *placed; /* lines are counted up to here */
} Reader;

/* --- JSON --- */

/* A string; null becomes the empty cell. */
static bool take_cell(Reader *reader, Cell *cell)
{
    bool is_string;
    if (!json_scan_text(&reader->scan, cell, &is_string))
        return false;
    if (!is_string && cell_is(*cell, "null"))
        cell->length = 0;
    return true;
}

static void take_gpus(Reader *reader, Attempt *attempt)
{
    json_scan_open(&reader->scan, '[');
    while (json_scan_item(&reader->scan)) {
        json_scan_skip(&reader->scan);
        attempt->gpus++;
    }
}

static void take_detail(Reader *reader, Attempt *attempt)
{
    Cell key;
    if (json_scan_peek(&reader->scan) != '[') {
        json_scan_skip(&reader->scan); // null
        return;
    }
    json_scan_open(&reader->scan, '[');
    while (json_scan_item(&reader->scan)) {
        json_scan_open(&reader->scan, '{');
        while (json_scan_key(&reader->scan, &key)) {
            if (cell_is(key, "gpus") && json_scan_peek(&reader->scan) == '[')
                take_gpus(reader, attempt);
            else
                json_scan_skip(&reader->scan);
            reader->scan.is_first = false;
        }
        reader->scan.is_first = false;
    }
}

static void take_attempt(Reader *reader)
{
    Job *job = &reader->job;
    Cell key;
    job->attempts = array_room(reader->log->arena, job->attempts, job->count + 1, &job->capacity,
                               sizeof *job->attempts);
    Attempt *attempt = &job->attempts[job->count++];
    *attempt = (Attempt){0};
    json_scan_open(&reader->scan, '{');
    while (json_scan_key(&reader->scan, &key)) {
        if (cell_is(key, "start_time"))
            take_cell(reader, &attempt->start);
        else if (cell_is(key, "end_time"))
            take_cell(reader, &attempt->end);
        else if (cell_is(key, "detail"))
            take_detail(reader, attempt);
        else
            json_scan_skip(&reader->scan);
        reader->scan.is_first = false;
    }
}

static void take_attempts(Reader *reader)
{
    if (json_scan_peek(&reader->scan) != '[') {
        json_scan_skip(&reader->scan); // null
        return;
    }
    json_scan_open(&reader->scan, '[');
    while (json_scan_item(&reader->scan)) {
        take_attempt(reader);
        reader->scan.is_first = false;
    }
}

static void take_member(Reader *reader, Cell key)
{
    Job *job = &reader->job;
    if (cell_is(key, "status"))
        take_cell(reader, &job->status);
    else if (cell_is(key, "vc"))
        take_cell(reader, &job->vc);
    else if (cell_is(key, "jobid"))
        take_cell(reader, &job->id);
    else if (cell_is(key, "user"))
        take_cell(reader, &job->user);
    else if (cell_is(key, "submitted_time"))
        take_cell(reader, &job->submitted);
    else if (cell_is(key, "attempts"))
        take_attempts(reader);
    else
        json_scan_skip(&reader->scan);
}

/* --- Jobs --- */

/* The times of an attempt; false when it has none, which is counted. */
static bool attempt_times(Reader *reader, const Attempt *attempt, int64_t not_before_ns,
                          bool is_last, ImportTimes *times)
{
    ImportLog *log = reader->log;
    if (!import_stamp(log, attempt->start, "start_time", not_before_ns, &times->start_ns) ||
        !import_stamp(log, attempt->end, "end_time", times->start_ns, &times->end_ns))
        return false;
    const bool runs = times->start_ns >= 0 && times->end_ns < 0 && is_last;
    if (!runs && (times->start_ns < 0 || times->end_ns < 0))
        import_count(log, RULE_ATTEMPT_UNTIMED);
    else if (!runs && times->end_ns < times->start_ns)
        import_count(log, RULE_ATTEMPT_BACKWARDS);
    else
        return true;
    return false;
}

static ImportJob new_job(Reader *reader, int32_t gpus)
{
    ImportLog *log = reader->log;
    ImportJob job = import_job(log);
    job.gpus = gpus;
    job.queue = import_queue(log, reader->job.vc);
    job.user = import_word(log, &log->users, reader->job.user);
    job.state = import_word(log, &log->states, reader->job.status);
    job.is_completed = cell_is(reader->job.status, "Pass");
    return job;
}

/* One job of the list for each attempt: the first is submitted with the job, a later one when the
 * attempt before it ended. */
static void add_each(Reader *reader, int64_t submit_ns)
{
    ImportLog *log = reader->log;
    int64_t before_ns = submit_ns;
    for (uint32_t i = 0; i < reader->job.count; i++) {
        const Attempt *attempt = &reader->job.attempts[i];
        ImportTimes times = {.submit_ns = before_ns};
        const bool is_last = i + 1 == reader->job.count;
        if (!attempt_times(reader, attempt, before_ns, is_last, &times))
            continue;
        ImportJob job = new_job(reader, attempt->gpus);
        if (!import_times(log, &job, times, STAGE_UNKNOWN))
            continue;
        before_ns = times.end_ns;
        if (attempt->gpus == 0)
            import_count(log, RULE_NO_SIZE);
        else
            import_add(log, &reader->job.id, job);
    }
}

/* One job: its run time is the sum of its attempts, or the last of them. */
static void add_whole(Reader *reader, int64_t submit_ns)
{
    ImportLog *log = reader->log;
    const Job *job = &reader->job;
    const bool is_sum = log->options->attempts == ATTEMPTS_SUM;
    ImportTimes whole = {submit_ns, JOB_LIST_UNKNOWN, JOB_LIST_UNKNOWN};
    int64_t run_ns = 0, before_ns = submit_ns, last_start_ns = JOB_LIST_UNKNOWN;
    for (uint32_t i = 0; i < job->count; i++) {
        ImportTimes times;
        if (job->attempts[i].gpus != job->attempts[0].gpus)
            import_count(log, RULE_ATTEMPT_SIZE);
        if (!attempt_times(reader, &job->attempts[i], before_ns, i + 1 == job->count, &times))
            continue;
        if (whole.start_ns < 0)
            whole.start_ns = times.start_ns;
        const int64_t attempt_ns = times.end_ns < 0 ? 0 : times.end_ns - times.start_ns;
        whole.end_ns = times.end_ns; // unknown: the last attempt still runs
        run_ns = is_sum ? capped_sum(run_ns, attempt_ns) : attempt_ns;
        before_ns = times.end_ns;
        last_start_ns = times.start_ns;
    }
    ImportJob made = new_job(reader, job->attempts[0].gpus);
    if (!import_times(log, &made, whole, STAGE_UNKNOWN))
        return;
    made.run_ns = run_ns;
    if (made.open_ns >= 0)
        made.open_ns = last_start_ns;
    if (made.gpus == 0)
        import_count(log, RULE_NO_SIZE);
    else
        import_add(log, &job->id, made);
}

static void add_job(Reader *reader)
{
    ImportLog *log = reader->log;
    const Job *job = &reader->job;
    int64_t submit_ns;
    if (job->count == 0) {
        import_count(log, RULE_NO_ATTEMPT);
        return;
    }
    if (!import_stamp(log, job->submitted, "submitted_time", 0, &submit_ns))
        return;
    if (submit_ns < 0)
        import_count(log, RULE_NO_SUBMIT);
    else if (log->options->attempts == ATTEMPTS_EACH)
        add_each(reader, submit_ns);
    else
        add_whole(reader, submit_ns);
}

/* --- The whole --- */

/* Makes the line of the job the current line of the log, for places in messages. */
static void set_line(Reader *reader, const char *at)
{
    LineCursor *lines = &reader->log->lines;
    for (const char *c = reader->placed; c < at; c++) {
        if (*c == '\n') {
            lines->line_number++;
            lines->line = c + 1;
        }
    }
    reader->placed = at;
}

static void read_file(ImportLog *log, ImportFile file)
{
    Reader reader = {.log = log,
                     .scan = json_scan_begin(file.path, file.text, file.length),
                     .placed = file.text};
    Cell key;
    log->lines = (LineCursor){.source = file.path, .line = file.text, .line_number = 1};
    json_scan_open(&reader.scan, '[');
    while (log->problems->count <= PROBLEMS_KEPT && json_scan_item(&reader.scan)) {
        json_scan_peek(&reader.scan);
        set_line(&reader, reader.scan.next);
        reader.job = (Job){.attempts = reader.job.attempts, .capacity = reader.job.capacity};
        json_scan_open(&reader.scan, '{');
        while (json_scan_key(&reader.scan, &key)) {
            take_member(&reader, key);
            reader.scan.is_first = false;
        }
        reader.scan.is_first = false;
        if (reader.scan.status.code != STATUS_OK)
            break;
        log->rows++;
        add_job(&reader);
    }
    if (log->problems->count <= PROBLEMS_KEPT && !json_scan_end(&reader.scan))
        problems_add_status(log->problems, &reader.scan.status);
}

void format_philly_read(ImportLog *log, const ImportFile *files, int32_t file_count)
{
    for (int32_t i = 0; i < file_count; i++)
        read_file(log, files[i]);
}

/* Private to sim/study/import: traces of the Gavel scheduler, tables with tabs and without header.
 * Three generations of columns are in its repository:
 *
 *     6   job_type, command, steps argument, total_steps, arrival_s, GPUs
 *     7   job_type, command, steps argument, needs_data_dir, total_steps, arrival_s, GPUs
 *     10  job_type, command, directory, steps argument, needs_data_dir, total_steps, GPUs,
 * priority, SLO, arrival_s
 *
 * They state steps, not run times. A file of throughputs (JSON) has the steps in a second:
 * {"v100": {"('ResNet-18 (batch size 32)', 2)": {"null": 50.1, ...}, ...}, ...}; "null" is the job
 * without another on its GPUs. */
#include <string.h>

#include "sim/base/array.h"
#include "sim/base/units.h"
#include "sim/study/import/format.h"
#include "sim/study/import/json_scan.h"

typedef struct {
    int32_t columns, type, steps, arrival, gpus, priority; /* -1: the log has no such column */
} Generation;

static const Generation generations[] = {
    {6, 0, 3, 4, 5, -1}, {7, 0, 4, 5, 6, -1}, {10, 0, 5, 9, 6, 7}};

typedef struct {
    ImportLog *log;
    WordTable keys;        /* "('ResNet-18 (batch size 32)', 2)" */
    int64_t *nano_steps_s; /* throughput of each, 10^-9 steps in a second; 0: none */
    uint32_t capacity;
    bool has_gpu_type;
} Gavel;

/* --- Throughputs --- */

static void store(Gavel *gavel, Cell key, Cell number, const JsonScan *scan)
{
    int64_t value;
    const CellOutcome outcome = cell_scaled(number, 9, &value);
    if ((outcome != CELL_READ && outcome != CELL_TOO_FINE) || value < 0) {
        problems_add(gavel->log->problems, STATUS_BAD_INPUT, json_scan_place(scan, number.text),
                     "the throughput is \"%.*s\", expected a number from 0", cell_shown(number),
                     number.text);
        return;
    }
    const uint32_t index = word_table_add(&gavel->keys, key.text, (size_t)key.length);
    gavel->nano_steps_s = array_room(gavel->log->arena, gavel->nano_steps_s, gavel->keys.count,
                                     &gavel->capacity, sizeof *gavel->nano_steps_s);
    gavel->nano_steps_s[index] = value;
}

/* The jobs of a GPU type: of each the throughput alone. */
static void read_gpu_type(Gavel *gavel, JsonScan *scan)
{
    Cell key, other, number;
    json_scan_open(scan, '{');
    while (json_scan_key(scan, &key)) {
        json_scan_open(scan, '{');
        while (json_scan_key(scan, &other)) {
            if (!cell_is(other, "null"))
                json_scan_skip(scan);
            else if (json_scan_text(scan, &number, NULL))
                store(gavel, key, number, scan);
            scan->is_first = false;
        }
        scan->is_first = false;
    }
}

static void read_throughputs(Gavel *gavel, ImportFile file)
{
    const char *wanted = gavel->log->options->gpu_type;
    JsonScan scan = json_scan_begin(file.path, file.text, file.length);
    Cell key;
    json_scan_open(&scan, '{');
    while (json_scan_key(&scan, &key)) {
        const bool is_wanted = cell_is(key, wanted != NULL ? wanted : "v100");
        gavel->has_gpu_type |= is_wanted;
        if (is_wanted)
            read_gpu_type(gavel, &scan);
        else
            json_scan_skip(&scan);
        scan.is_first = false;
    }
    if (!json_scan_end(&scan))
        problems_add_status(gavel->log->problems, &scan.status);
    else if (!gavel->has_gpu_type)
        status_hint(problems_add(gavel->log->problems, STATUS_BAD_INPUT, place_in(file.path, 0, 0),
                                 "the file has no throughputs of the GPU type \"%s\"",
                                 wanted != NULL ? wanted : "v100"),
                    "--gpu-type names the kind of GPU whose throughputs count");
}

/* --- Rows --- */

static const Generation *generation_of(int32_t columns)
{
    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++)
        if (generations[i].columns == columns)
            return &generations[i];
    return NULL;
}

/* The run time of `steps` of a job; 0 if its throughput is unknown. */
static int64_t run_ns_of(const Gavel *gavel, Cell type, int32_t gpus, int64_t steps)
{
    const char *key = arena_printf(gavel->log->arena, "('%.*s', %d)", type.length, type.text, gpus);
    uint32_t index;
    if (!word_table_find(&gavel->keys, key, strlen(key), &index) || gavel->nano_steps_s[index] == 0)
        return 0;
    const double seconds = (double)steps / ((double)gavel->nano_steps_s[index] / 1e9);
    const double s_max = 9e9;
    return seconds < s_max ? (int64_t)(seconds * 1e9) : INT64_MAX / 4;
}

static void add_row(void *parser, const Cell *cells, int32_t count)
{
    Gavel *gavel = parser;
    ImportLog *log = gavel->log;
    const Generation *of = generation_of(count);
    int64_t steps;
    ImportJob job = import_job(log);
    if (of == NULL) {
        import_bad_line(log, count, "6, 7 or 10");
        return;
    }
    if (!import_number(log, cells[of->steps], "total_steps", 0, INT64_C(1) << 50, &steps) ||
        !import_seconds(log, cells[of->arrival], "the arrival", &job.submit_ns) ||
        !import_count_of(log, cells[of->gpus], "the number of GPUs", &job.gpus))
        return;
    job.run_ns = run_ns_of(gavel, cells[of->type], job.gpus, steps);
    if (job.run_ns == 0) {
        import_bad(log, cells[of->type], "the job type",
                   "a type with a throughput for this number of GPUs in the throughput file");
        return;
    }
    job.user = import_word(log, &log->users, cells[of->type]);
    job.is_completed = true;
    import_add(log, NULL, job);
}

static bool is_json(ImportFile file)
{
    size_t i = 0;
    while (i < file.length && (file.text[i] == ' ' || file.text[i] == '\n'))
        i++;
    return i < file.length && file.text[i] == '{';
}

void format_gavel_read(ImportLog *log, const ImportFile *files, int32_t file_count)
{
    Gavel gavel = {.log = log, .keys = word_table_create(log->arena)};
    const PlainTable table = {.separator = '\t', .parser = &gavel, .add_row = add_row};
    for (int32_t i = 0; i < file_count; i++)
        if (is_json(files[i]))
            read_throughputs(&gavel, files[i]);
    import_note(log,
                "Run times are steps divided by the throughput of the job alone on GPUs of type "
                "%s.",
                log->options->gpu_type != NULL ? log->options->gpu_type : "v100");
    import_note(log, "The log has no users: the user of a job is its type.");
    for (int32_t i = 0; i < file_count; i++)
        if (!is_json(files[i]))
            import_read_plain(&table, log, files[i]);
}

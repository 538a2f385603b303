#include "sim/study/answer/winner_jobs.h"

#include <inttypes.h>
#include <stdio.h>

#include "sim/base/array.h"
#include "sim/cli/files.h"
#include "sim/scenario/joblist/cells.h"
#include "sim/study/answer/answer_words.h"

/* --- Writing --- */

static void write_bytes(void *to, const char *bytes, size_t length)
{
    fwrite(bytes, 1, length, to);
}

/* The point of the weather in which the first constraint has the smallest margin. */
static int32_t tightest_point(const PlanOutcome *outcome)
{
    const PlanFindings *fresh = &outcome->candidates[outcome->winner].fresh;
    const int32_t check =
        outcome->goal->constraint_count > 0 ? answer_tightest(outcome, fresh, 0) : -1;
    const int32_t weather = check >= 0 ? fresh->checks[check].weather : 0;
    return plan_point(outcome->grid, outcome->winner, weather >= 0 ? weather : 0);
}

bool winner_jobs_write(Arena *arena, const PlanOutcome *outcome, const char *folder,
                       FileSource files, const char *version, Problems *problems)
{
    FileWriter writer;
    Status status = {0};
    if (outcome->winner == NO_CANDIDATE ||
        outcome->candidates[outcome->winner].fresh.run_count == 0)
        return true;
    const int32_t fresh = outcome->candidates[outcome->winner].fresh.run_count;
    const JobsOfRuns runs = {tightest_point(outcome), outcome->fresh_first,
                             fresh < WINNER_RUNS_MAX ? fresh : WINNER_RUNS_MAX};
    if (!file_writer_open(&writer, arena_printf(arena, "%s/" WINNER_JOBS_FILE, folder), &status)) {
        problems_add_status(problems, &status);
        return false;
    }
    const ByteSink out = {.to = writer.stream, .write = write_bytes};
    if (!jobs_table(&outcome->study.findings, &runs, files, version, out, NULL, NULL, problems)) {
        file_writer_abandon(&writer);
        return false;
    }
    if (file_writer_commit(&writer, &status))
        return true;
    problems_add_status(problems, &status);
    return false;
}

/* --- Reading --- */

/* The columns that are read; others, the factors among them, are skipped. */
typedef enum {
    COLUMN_POINT,
    COLUMN_SEED,
    COLUMN_SIZE,
    COLUMN_SUBMITTED,
    COLUMN_QUEUE,
    COLUMN_WAITING,
    COLUMN_COUNT
} JobsColumn;

/* The last columns have fixed places from the end, so that a factor may be called "seed". */
static const struct {
    const char *name;
    int32_t from_end; /* 0: the first column */
    int32_t decimals;
} columns[COLUMN_COUNT] = {
    [COLUMN_POINT] = {"point", 0, 0},   [COLUMN_SEED] = {"seed", 10, 0},
    [COLUMN_SIZE] = {"slots", 7, 0},    [COLUMN_SUBMITTED] = {"submitted_s", 6, 9},
    [COLUMN_QUEUE] = {"queue_s", 5, 9}, [COLUMN_WAITING] = {"waiting", 1, 0},
};

enum { CELLS_MAX = 256, CELLS_MIN = 11 };

typedef struct {
    Arena *arena;
    LineCursor cursor;
    Cell cells[CELLS_MAX];
    int32_t cell_count;
    WinnerJob *jobs;
    uint32_t count, capacity;
    int64_t point, first_seed, seed;
    int32_t run_count;
    Problems *problems;
} Reader;

static bool refuse(Reader *reader, const char *at, const char *message)
{
    Status *status = problems_add(reader->problems, STATUS_BAD_INPUT,
                                  cell_place(&reader->cursor, at), "%s", message);
    status_hint(status, "`trainyard plan` writes " WINNER_JOBS_FILE
                        "; remove a file that was changed and run the plan again");
    return false;
}

static const Cell *cell_of(const Reader *reader, JobsColumn column)
{
    return &reader->cells[columns[column].from_end == 0
                              ? 0
                              : reader->cell_count - columns[column].from_end];
}

/* Cuts the current line, which needs `count` cells; 0: any number. */
static bool cut(Reader *reader, int32_t count)
{
    reader->cell_count = cells_cut(&reader->cursor, ',', reader->cells, CELLS_MAX);
    if (reader->cell_count < 0)
        return refuse(reader, reader->cells[0].text, "a quote without its end");
    if (reader->cell_count < CELLS_MIN || reader->cell_count > CELLS_MAX ||
        (count > 0 && reader->cell_count != count))
        return refuse(reader, reader->cursor.line, "a row with another number of columns");
    return true;
}

static bool read_heading(Reader *reader)
{
    if (!lines_next(&reader->cursor))
        return refuse(reader, reader->cursor.line, "an empty file");
    if (!cut(reader, 0))
        return false;
    for (JobsColumn column = 0; column < COLUMN_COUNT; column++)
        if (!cell_is(*cell_of(reader, column), columns[column].name))
            return refuse(reader, cell_of(reader, column)->text, "another column is expected here");
    return true;
}

/* The value of a column in 10^-decimals; an empty cell is 0 in `*is_empty`. */
static bool read_number(Reader *reader, JobsColumn column, int64_t *value, bool *is_empty)
{
    const Cell *cell = cell_of(reader, column);
    const CellOutcome outcome = cell_scaled(*cell, columns[column].decimals, value);
    *is_empty = outcome == CELL_EMPTY;
    if (*is_empty)
        *value = 0;
    else if (outcome != CELL_READ || *value < 0)
        return refuse(reader, cell->text != NULL ? cell->text : reader->cursor.line,
                      "not a number as in jobs.csv");
    return true;
}

static void begin_run(Reader *reader, const int64_t *values)
{
    if (reader->run_count == 0) {
        reader->point = values[COLUMN_POINT];
        reader->first_seed = values[COLUMN_SEED];
    }
    if (reader->run_count == 0 || values[COLUMN_SEED] != reader->seed)
        reader->run_count++;
    reader->seed = values[COLUMN_SEED];
}

static bool read_job(Reader *reader)
{
    int64_t values[COLUMN_COUNT];
    bool is_empty[COLUMN_COUNT];
    for (JobsColumn column = 0; column < COLUMN_COUNT; column++)
        if (!read_number(reader, column, &values[column], &is_empty[column]))
            return false;
    if (values[COLUMN_POINT] > POINTS_MAX || values[COLUMN_WAITING] > 1 ||
        values[COLUMN_SIZE] > INT32_MAX)
        return refuse(reader, reader->cursor.line, "a row that no plan writes");
    if (is_empty[COLUMN_SUBMITTED] || is_empty[COLUMN_QUEUE])
        return true; // never submitted
    begin_run(reader, values);
    if (reader->run_count > WINNER_RUNS_MAX)
        return refuse(reader, reader->cursor.line, "more runs than a plan writes");
    if (values[COLUMN_POINT] != reader->point)
        return refuse(reader, reader->cursor.line, "a row of another point");
    reader->jobs = array_room(reader->arena, reader->jobs, reader->count + 1, &reader->capacity,
                              sizeof *reader->jobs);
    reader->jobs[reader->count++] =
        (WinnerJob){.run = reader->run_count - 1,
                    .size = values[COLUMN_SIZE],
                    .submitted_s = (double)values[COLUMN_SUBMITTED] / 1e9,
                    .queue_s = (double)values[COLUMN_QUEUE] / 1e9,
                    .is_waiting = values[COLUMN_WAITING] == 1};
    return true;
}

bool winner_jobs_parse(Arena *arena, const char *source, const char *text, size_t length,
                       WinnerJobs *jobs, Problems *problems)
{
    Reader *reader = ARENA_NEW(arena, Reader);
    *reader =
        (Reader){.arena = arena, .cursor = lines_begin(source, text, length), .problems = problems};
    if (!read_heading(reader))
        return false;
    const int32_t columns_count = reader->cell_count;
    while (lines_next(&reader->cursor))
        if (!cut(reader, columns_count) || !read_job(reader))
            return false;
    *jobs = (WinnerJobs){.point = (int32_t)reader->point,
                         .first_seed = reader->first_seed,
                         .run_count = reader->run_count,
                         .count = reader->count,
                         .jobs = reader->jobs};
    return true;
}

bool winner_jobs_read(Arena *arena, FileSource files, const char *folder, WinnerJobs *jobs,
                      Problems *problems)
{
    const char *path = arena_printf(arena, "%s/" WINNER_JOBS_FILE, folder), *text;
    size_t length;
    Status status = {0};
    *jobs = (WinnerJobs){0};
    if (files.read(files.context, arena, path, &text, &length, &status))
        return winner_jobs_parse(arena, path, text, length, jobs, problems);
    if (status.code == STATUS_NOT_FOUND)
        return true;
    problems_add_status(problems, &status);
    return false;
}

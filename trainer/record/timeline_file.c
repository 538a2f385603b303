/* Private to trainer/record: timelines as files, one table of spans for each rank. */
#include <inttypes.h>
#include <string.h>

#include "sim/base/piece.h"
#include "sim/cli/files.h"
#include "trainer/record/timeline.h"

static const size_t file_bytes_max = (size_t)4 << 30;
static const char magic[] = "# trainyard timeline 1";
static const char columns[] = "phase\tstep\tbegin_ns\tend_ns\tbytes\trank";
static const char row_expected[] = "six columns separated by tabs";

enum { FIELD_PHASE, FIELD_STEP, FIELD_BEGIN, FIELD_END, FIELD_BYTES, FIELD_RANK, FIELD_COUNT };

/* --- Writing --- */

bool timeline_write(const TimelineFile *file, const char *path, Status *status)
{
    FileWriter writer;
    if (!file_writer_open(&writer, path, status))
        return false;
    fprintf(writer.stream, "%s\trank\t%" PRId32 "\tranks\t%" PRId32 "\n%s\n", magic, file->rank,
            file->ranks, columns);
    for (int64_t i = 0; i < file->count; i++) {
        const TimelineSpan *span = &file->spans[i];
        if (span->stage > 0)
            continue;
        fprintf(writer.stream,
                "%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId32 "\n",
                phase_names[span->phase], span->step, span->begin_ns, span->end_ns, span->bytes,
                span->rank);
    }
    return file_writer_commit(&writer, status); // looks for errors of the stream
}

/* --- Reading --- */

/* Splits a line into exactly `count` cells. */
static bool cells_cut(Piece line, int32_t count, const char *expected, Piece *cells, Status *status)
{
    Piece rest = line;
    for (int32_t i = 0; i < count; i++)
        if (!piece_cut(&rest, '\t', &cells[i]))
            return piece_bad(line, expected, status);
    return !rest.text || piece_bad(line, expected, status);
}

static bool rank_read(Piece piece, int32_t ranks, const char *expected, int32_t *rank,
                      Status *status)
{
    uint64_t value;
    if (!piece_digits(piece, (uint64_t)ranks - 1, &value))
        return piece_bad(piece, expected, status);
    *rank = (int32_t)value;
    return true;
}

static bool header_read(Piece line, TimelineFile *file, Status *status)
{
    static const char expected[] = "\"# trainyard timeline 1\", rank and ranks";
    Piece cells[5];
    uint64_t ranks;
    if (!cells_cut(line, 5, expected, cells, status))
        return false;
    if (!piece_is(cells[0], magic) || !piece_is(cells[1], "rank") || !piece_is(cells[3], "ranks"))
        return piece_bad(line, expected, status);
    if (!piece_digits(cells[4], TIMELINE_RANKS_MAX, &ranks) || ranks == 0)
        return piece_bad(cells[4], "1 to 65536 ranks", status);
    file->ranks = (int32_t)ranks;
    return rank_read(cells[2], file->ranks, "a rank from 0, below that of ranks", &file->rank,
                     status);
}
_Static_assert(TIMELINE_RANKS_MAX == 65536, "as header_read says");

static bool phase_read(Piece piece, Phase *phase, Status *status)
{
    for (int i = 0; i < PHASE_COUNT; i++) {
        if (piece_is(piece, phase_names[i])) {
            *phase = (Phase)i;
            return true;
        }
    }
    piece_bad(piece, "a phase of training", status);
    return piece_hint_nearest(piece, phase_names, PHASE_COUNT, status);
}

static bool number_read(Piece piece, int64_t *number, Status *status)
{
    uint64_t value;
    if (!piece_digits(piece, INT64_MAX, &value))
        return piece_bad(piece, "a whole number from 0", status);
    *number = (int64_t)value;
    return true;
}

/* A row belongs to the file's rank. Only rank 0 records the readiness of other ranks, with equal
 * begin and end. */
static bool is_of_file(const TimelineFile *file, const TimelineSpan *span, const Piece *cells,
                       Status *status)
{
    if (span->phase != PHASE_READY)
        return span->rank == file->rank ||
               piece_bad(cells[FIELD_RANK], "the rank of the first line", status);
    if (file->rank != 0)
        return piece_bad(cells[FIELD_PHASE],
                         "another phase: only rank 0 records which ranks are ready", status);
    return span->begin_ns == span->end_ns ||
           piece_bad(cells[FIELD_END],
                     "the same time as begin_ns, as a rank becomes ready at a moment", status);
}

static bool row_read(Piece line, const TimelineFile *file, TimelineSpan *span, Status *status)
{
    Piece cells[FIELD_COUNT];
    if (!cells_cut(line, FIELD_COUNT, row_expected, cells, status) ||
        !phase_read(cells[FIELD_PHASE], &span->phase, status) ||
        !number_read(cells[FIELD_STEP], &span->step, status) ||
        !number_read(cells[FIELD_BEGIN], &span->begin_ns, status) ||
        !number_read(cells[FIELD_END], &span->end_ns, status) ||
        !number_read(cells[FIELD_BYTES], &span->bytes, status) ||
        !rank_read(cells[FIELD_RANK], file->ranks, "a rank below that of ranks", &span->rank,
                   status))
        return false;
    if (span->end_ns < span->begin_ns)
        return piece_bad(cells[FIELD_END], "an end not before the beginning", status);
    return is_of_file(file, span, cells, status);
}

bool timeline_parse(const char *source, const char *text, size_t length, Arena *arena,
                    TimelineFile *file, Status *status)
{
    Piece rest = piece_of(source, text, length), line;
    TimelineFile read = {0};
    if (!piece_take_line(&rest, "a timeline", &line, status) || !header_read(line, &read, status) ||
        !piece_take_line(&rest, "the names of the columns", &line, status))
        return false;
    if (!piece_is(line, columns))
        return piece_bad(line, "the names of the six columns", status);
    TimelineSpan *spans = ARENA_ARRAY(arena, TimelineSpan, piece_line_count(rest));
    while (rest.length > 0) {
        if (!piece_take_line(&rest, row_expected, &line, status) ||
            !row_read(line, &read, &spans[read.count], status))
            return false;
        read.count++;
    }
    read.spans = spans;
    *file = read;
    return true;
}

bool timeline_read(const char *path, Arena *arena, TimelineFile *file, Status *status)
{
    char *text;
    size_t length;
    return file_read(arena, path, file_bytes_max, &text, &length, status) &&
           timeline_parse(path, text, length, arena, file, status);
}

/* --- Folders --- */

static void print_path(Text *path, const char *folder, int32_t rank)
{
    text_clear(path);
    text_printf(path, "%s/timeline.rank%" PRId32 ".tsv", folder, rank);
}

/* Reads the file of `rank`. If `ranks` is not 0, the file must have the same number of ranks. */
static bool read_rank(const char *folder, int32_t rank, int32_t ranks, Arena *arena,
                      TimelineFile *file, Status *status)
{
    Text text = {0};
    print_path(&text, folder, rank);
    const char *path = arena_strdup(arena, text.data);
    text_free(&text);
    if (!timeline_read(path, arena, file, status))
        return false;
    if (file->rank != rank)
        return status_fail(status, STATUS_BAD_INPUT, place_in(path, 1, 1),
                           "is of rank %" PRId32 ", expected %" PRId32, file->rank, rank);
    if (ranks > 0 && file->ranks != ranks)
        return status_fail(status, STATUS_BAD_INPUT, place_in(path, 1, 1),
                           "is of a training on %" PRId32 " ranks, rank 0's of one on %" PRId32,
                           file->ranks, ranks);
    return true;
}

bool timeline_read_folder(const char *folder, Arena *arena, TimelineFile **files, int32_t *count,
                          Status *status)
{
    TimelineFile first = {0};
    if (!read_rank(folder, 0, 0, arena, &first, status))
        return false;
    TimelineFile *all = ARENA_ARRAY(arena, TimelineFile, first.ranks);
    all[0] = first;
    for (int32_t rank = 1; rank < first.ranks; rank++)
        if (!read_rank(folder, rank, first.ranks, arena, &all[rank], status))
            return false;
    *files = all;
    *count = first.ranks;
    return true;
}

bool timeline_write_folder(const TimelineFile *files, int32_t count, const char *folder,
                           Status *status)
{
    Text path = {0};
    bool is_fine = true;
    for (int32_t i = 0; is_fine && i < count; i++) {
        print_path(&path, folder, files[i].rank);
        is_fine = timeline_write(&files[i], path.data, status);
    }
    text_free(&path);
    return is_fine;
}

#include "sim/study/journal/journal_text.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/invariant.h"
#include "sim/base/piece.h"
#include "sim/study/journal/value_text.h"

static const char magic[] = "trainyard-journal ";
enum {
    MAGIC_LENGTH = sizeof magic - 1,
    CHECKSUM_DIGITS = 8,
    CHECKSUM_LENGTH = 1 + CHECKSUM_DIGITS, /* with its tab */
    FINGERPRINT_DIGITS = 16,
};

/* --- Writing --- */

/* Ends the line that began at `start`. */
static void end_line(const Crc32c *crc, size_t start, Text *out)
{
    const uint32_t checksum = crc32c_of(crc, out->data + start, out->length - start);
    text_printf(out, "\t%08" PRIx32 "\n", checksum);
}

void journal_header_print(const Crc32c *crc, const JournalIdentity *identity, Text *out)
{
    const size_t start = out->length;
    text_printf(out, "%s%d", magic, JOURNAL_FORMAT);
    journal_identity_print(identity, out);
    end_line(crc, start, out);
}

void journal_record_print(const Crc32c *crc, const RunRecord *record, Text *out)
{
    invariant(record->point >= 0 && record->replication >= 0);
    const size_t start = out->length;
    text_printf(out, "%" PRId32 "\t%" PRId32 "\t%" PRIu64 "\t%016" PRIx64, record->point,
                record->replication, record->seed, record->fingerprint);
    for (uint32_t i = 0; i < record->value_count; i++) {
        text_append(out, "\t", 1);
        value_text_print(record->values[i], record->flags[i] & RUN_VALUE_IS_LOWER_BOUND, out);
    }
    end_line(crc, start, out);
}

/* --- Lines --- */

/* A line without its checksum and its LF. */
typedef struct {
    const char *text, *end;
    int32_t number;
} Line;

static Place place_of(const char *source, const Line *line, const char *at)
{
    return place_in(source, line->number, (int32_t)(at - line->text) + 1);
}

/* Reads exactly `digit_count` hexadecimal digits in lower case. */
static bool parse_hex(const char *text, int32_t digit_count, uint64_t *value)
{
    *value = 0;
    for (int32_t i = 0; i < digit_count; i++) {
        const int32_t digit = ascii_hex_value(text[i]);
        if (digit < 0 || (text[i] >= 'A' && text[i] <= 'F'))
            return false;
        *value = *value << 4 | (uint64_t)digit;
    }
    return true;
}

/* Cuts a line off [*at, end); false if it has no LF or a wrong checksum. `*at` then moves after
 * the LF or to the end. */
static bool take_line(const Crc32c *crc, const char **at, const char *end, Line *line)
{
    const char *start = *at;
    const char *feed = memchr(start, '\n', (size_t)(end - start));
    line->text = start;
    line->end = feed ? feed : end;
    line->number++;
    *at = feed ? feed + 1 : end;
    uint64_t checksum;
    if (!feed || feed - start < CHECKSUM_LENGTH || feed[-CHECKSUM_LENGTH] != '\t' ||
        !parse_hex(feed - CHECKSUM_DIGITS, CHECKSUM_DIGITS, &checksum))
        return false;
    line->end = feed - CHECKSUM_LENGTH;
    return checksum == crc32c_of(crc, start, (size_t)(line->end - start));
}

/* --- A record --- */

/* Cuts the next field off; false at the end of the line. `at` is NULL after the last field. */
static bool take_field(const char **at, const char *end, const char **field, size_t *length)
{
    if (!*at)
        return false;
    const char *tab = memchr(*at, '\t', (size_t)(end - *at));
    *field = *at;
    *length = (size_t)((tab ? tab : end) - *at);
    *at = tab ? tab + 1 : NULL;
    return true;
}

static bool parse_digits(const char *text, size_t length, uint64_t limit, uint64_t *value)
{
    return piece_digits((Piece){.text = text, .length = length}, limit, value);
}

/* The parts of a line that is being read; `values` and `flags` have room for the metrics. */
typedef struct {
    RunRecord record;
    double *values;
    uint8_t *flags;
} RecordParts;

/* Reads the fields before the values. Returns what is expected at `*field` if that is wrong. */
static const char *parse_run(const char **at, const char *end, RunRecord *record,
                             const char **field)
{
    uint64_t point, replication, fingerprint;
    size_t length;
    if (!take_field(at, end, field, &length) || !parse_digits(*field, length, INT32_MAX, &point))
        return "a point: a whole number from 0";
    if (!take_field(at, end, field, &length) ||
        !parse_digits(*field, length, INT32_MAX, &replication))
        return "a replication: a whole number from 0";
    if (!take_field(at, end, field, &length) ||
        !parse_digits(*field, length, UINT64_MAX, &record->seed))
        return "a seed: a whole number from 0";
    if (!take_field(at, end, field, &length) || length != FINGERPRINT_DIGITS ||
        !parse_hex(*field, FINGERPRINT_DIGITS, &fingerprint))
        return "a fingerprint: 16 hexadecimal digits";
    record->point = (int32_t)point;
    record->replication = (int32_t)replication;
    record->fingerprint = fingerprint;
    return NULL;
}

static const char *parse_record(const Line *line, RecordParts *parts, const char **field)
{
    const char *at = line->text;
    *field = at;
    const char *expected = parse_run(&at, line->end, &parts->record, field);
    for (uint32_t i = 0; !expected && i < parts->record.value_count; i++) {
        size_t length;
        bool is_lower_bound;
        if (!take_field(&at, line->end, field, &length) ||
            !value_text_parse(*field, length, &parts->values[i], &is_lower_bound))
            return "the value of a metric";
        parts->flags[i] = is_lower_bound ? RUN_VALUE_IS_LOWER_BOUND : 0;
    }
    if (!expected && at) {
        *field = at;
        return "no more values: the study has fewer metrics";
    }
    return expected;
}

/* --- The header --- */

/* True if the whole text may be the begin of a header whose writer was killed. Some file systems
 * fill a file that was not written to the end with zero bytes. */
static bool is_torn_header(const char *text, size_t length)
{
    if (length == 0)
        return true;
    if (memchr(text, '\n', length))
        return false;
    const size_t compared = length < MAGIC_LENGTH ? length : MAGIC_LENGTH;
    if (memcmp(text, magic, compared) == 0)
        return true;
    size_t zeros = 0;
    while (zeros < length && text[zeros] == '\0')
        zeros++;
    return zeros == length;
}

static bool fail_damaged(Place at, bool is_header, Status *status)
{
    if (is_header) {
        status_fail(status, STATUS_BAD_INPUT, at, "the header of this journal is damaged");
        return status_hint(status, "delete this file; its runs are repeated by the next sweep");
    }
    status_fail(status, STATUS_BAD_INPUT, at,
                "this line is damaged: its checksum does not match, but later lines are right");
    return status_hint(status,
                       "delete the line; its run is repeated by the next sweep. The disk or "
                       "another program changed the file");
}

static bool fail_foreign(const char *source, Status *status)
{
    status_fail(status, STATUS_BAD_INPUT, place_in(source, 1, 1),
                "is not a journal of runs: it does not begin with \"%s\"", magic);
    return status_hint(status, "move the file out of the folder \"journal\"");
}

/* Reads the format's number and the identity from a header whose checksum is right. */
static bool parse_header(Arena *arena, const char *source, const Line *line,
                         JournalIdentity *identity, Status *status)
{
    Piece facts = {line->text, (size_t)(line->end - line->text), place_in(source, line->number, 1)};
    Piece format;
    uint64_t number;
    if (!piece_skip(&facts, magic))
        return fail_foreign(source, status);
    const Place at = facts.at;
    const char *start = facts.text;
    piece_cut(&facts, '\t', &format);
    if (!piece_digits(format, INT32_MAX, &number))
        return piece_bad(format, "the number of the journal's format", status);
    if (number != JOURNAL_FORMAT) {
        status_fail(status, STATUS_BAD_INPUT, at,
                    "the journal has format %" PRIu64 ", this program reads format %d", number,
                    JOURNAL_FORMAT);
        return status_hint(status, "use the version of trainyard that wrote it");
    }
    const size_t skipped = format.length;
    return journal_identity_parse(arena, start + skipped, (size_t)(line->end - start) - skipped,
                                  place_in(source, 1, at.column + (int32_t)skipped), identity,
                                  status);
}

/* Reads the first line, and moves `*at` after it. */
static bool read_header(Arena *arena, const Crc32c *crc, const char *source, const char **at,
                        const char *end, Line *line, JournalIdentity *identity, bool *is_torn,
                        Status *status)
{
    const char *text = *at;
    *is_torn = is_torn_header(text, (size_t)(end - text));
    if (*is_torn)
        return true;
    if (take_line(crc, at, end, line))
        return parse_header(arena, source, line, identity, status);
    if ((size_t)(end - text) < MAGIC_LENGTH || memcmp(text, magic, MAGIC_LENGTH) != 0)
        return fail_foreign(source, status);
    return fail_damaged(place_in(source, 1, 1), true, status);
}

bool journal_text_identity(Arena *arena, const Crc32c *crc, const char *source, const char *text,
                           size_t length, JournalIdentity *identity, bool *is_torn, Status *status)
{
    Line line = {0};
    return read_header(arena, crc, source, &text, text + length, &line, identity, is_torn, status);
}

/* --- The whole journal --- */

typedef struct {
    const Crc32c *crc;
    const char *source;
    RunCollection *collection;
    RecordParts parts;
    Problems *problems;
} Reader;

/* Reads a line whose checksum is right. */
static bool read_record(Reader *reader, const Line *line)
{
    if (!reader->collection)
        return true;
    const char *field;
    const char *expected = parse_record(line, &reader->parts, &field);
    if (expected) {
        problems_add(reader->problems, STATUS_BAD_INPUT, place_of(reader->source, line, field),
                     "expected %s", expected);
        return false;
    }
    run_collection_add(reader->collection, &reader->parts.record,
                       place_in(reader->source, line->number, 1));
    return true;
}

/* Reads the lines from `at` to `end`. Wrong lines are reported once a right line follows, so that
 * the torn tail is left over. */
static bool read_records(Reader *reader, const char *at, const char *end, Line line,
                         JournalExtent *extent)
{
    const char *valid_end = at;
    int32_t first_wrong = 0;
    bool is_right = true;
    while (at < end) {
        if (!take_line(reader->crc, &at, end, &line)) {
            first_wrong = first_wrong ? first_wrong : line.number;
            continue;
        }
        for (; first_wrong && first_wrong < line.number; first_wrong++) {
            Status status;
            is_right = fail_damaged(place_in(reader->source, first_wrong, 1), false, &status);
            problems_add_status(reader->problems, &status);
        }
        first_wrong = 0;
        is_right &= read_record(reader, &line);
        extent->record_count++;
        extent->valid_bytes += (size_t)(at - valid_end);
        valid_end = at;
    }
    extent->torn_bytes = end - valid_end;
    return is_right;
}

/* Reads the header and checks the identity. */
static bool open_journal(Reader *reader, Arena *arena, const char **at, const char *end, Line *line,
                         const JournalIdentity *expected, bool *is_torn)
{
    JournalIdentity identity;
    Status status = {0};
    const bool is_right =
        read_header(arena, reader->crc, reader->source, at, end, line, &identity, is_torn,
                    &status) &&
        (*is_torn ||
         journal_identity_matches(&identity, expected, place_in(reader->source, 1, 1), &status));
    if (!is_right)
        problems_add_status(reader->problems, &status);
    return is_right;
}

static RecordParts record_parts(Arena *arena, uint32_t value_count)
{
    RecordParts parts = {.values = ARENA_ARRAY(arena, double, value_count),
                         .flags = ARENA_ARRAY(arena, uint8_t, value_count)};
    parts.record.value_count = value_count;
    parts.record.values = parts.values;
    parts.record.flags = parts.flags;
    return parts;
}

bool journal_text_read(const Crc32c *crc, const char *source, const char *text, size_t length,
                       const JournalIdentity *expected, RunCollection *collection,
                       JournalExtent *extent, Problems *problems)
{
    *extent = (JournalExtent){.torn_bytes = (int64_t)length};
    Arena *arena = arena_create();
    Reader reader = {.crc = crc,
                     .source = source,
                     .collection = collection,
                     .parts = record_parts(arena, expected->metric_count),
                     .problems = problems};
    const char *at = text, *end = text + length;
    Line line = {0};
    bool is_torn;
    bool is_right = open_journal(&reader, arena, &at, end, &line, expected, &is_torn);
    if (is_right && !is_torn) {
        extent->valid_bytes = (size_t)(at - text);
        is_right = read_records(&reader, at, end, line, extent);
    }
    arena_destroy(arena);
    return is_right;
}

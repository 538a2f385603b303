#define _GNU_SOURCE // O_CLOEXEC, pread
#include "emu/state/log_witness.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/checksum.h"
#include "sim/base/memory.h"

/* --- The log --- */

enum {
    HEADER_BYTES = 32,
    FRAME_HEADER_BYTES = 24,
    AT_PAGE_SIZE = 8,
    AT_SALTS = 16,
    AT_CHECKSUM = 24,
    FRAME_AT_PAGE = 0,
    FRAME_AT_SIZE = 4,
    FRAME_AT_SALTS = 8,
    FRAME_AT_CHECKSUM = 16,
    PAGE_BYTES_MIN = 512,
    PAGE_BYTES_MAX = 65536,
};
static const uint32_t log_magic = 0x377f0682; // and 1 more where words are big-endian

uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint32_t little(const unsigned char *bytes)
{
    return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

typedef struct {
    bool is_big;
    uint32_t sums[2];
} LogSum;

/* `length` is a multiple of 8. */
static void sum_add(LogSum *sum, const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i += 8) {
        sum->sums[0] += (sum->is_big ? big_endian(bytes + i) : little(bytes + i)) + sum->sums[1];
        sum->sums[1] +=
            (sum->is_big ? big_endian(bytes + i + 4) : little(bytes + i + 4)) + sum->sums[0];
    }
}

static bool sum_is(const LogSum *sum, const unsigned char *bytes)
{
    return sum->sums[0] == big_endian(bytes) && sum->sums[1] == big_endian(bytes + 4);
}

static bool read_header(FILE *log, LogSum *sum, uint32_t *page_bytes, LogFacts *facts)
{
    unsigned char header[HEADER_BYTES];
    if (fread(header, 1, sizeof header, log) != sizeof header)
        return false;
    *sum = (LogSum){.is_big = big_endian(header) == log_magic + 1};
    *page_bytes = big_endian(header + AT_PAGE_SIZE);
    sum_add(sum, header, AT_CHECKSUM);
    facts->salts[0] = big_endian(header + AT_SALTS);
    facts->salts[1] = big_endian(header + AT_SALTS + 4);
    facts->has_header = (big_endian(header) | 1) == (log_magic | 1) &&
                        sum_is(sum, header + AT_CHECKSUM) && *page_bytes >= PAGE_BYTES_MIN &&
                        *page_bytes <= PAGE_BYTES_MAX && (*page_bytes & (*page_bytes - 1)) == 0;
    return facts->has_header;
}

/* The frames of one commit become known when its last one is read. */
static void read_frames(FILE *log, LogSum sum, uint32_t page_bytes, bool *in_log,
                        uint32_t in_log_count, LogFacts *facts)
{
    const size_t frame_bytes = FRAME_HEADER_BYTES + page_bytes;
    unsigned char *frame = memory_zeroed(frame_bytes);
    uint32_t *pages = NULL, count = 0, room = 0, number = 0;
    bool is_chained = true;
    while (fread(frame, 1, frame_bytes, log) == frame_bytes &&
           big_endian(frame + FRAME_AT_SALTS) == facts->salts[0] &&
           big_endian(frame + FRAME_AT_SALTS + 4) == facts->salts[1]) {
        const uint32_t size = big_endian(frame + FRAME_AT_SIZE);
        number++;
        sum_add(&sum, frame, FRAME_AT_SALTS);
        sum_add(&sum, frame + FRAME_HEADER_BYTES, page_bytes);
        is_chained = is_chained && sum_is(&sum, frame + FRAME_AT_CHECKSUM);
        if (!is_chained) {
            facts->lost = size > 0 ? number - facts->frames : facts->lost;
            facts->lost_commits += size > 0;
            continue;
        }
        if (count == room)
            pages = memory_resized(pages, (room = 2 * room + 64) * sizeof *pages);
        pages[count++] = big_endian(frame + FRAME_AT_PAGE);
        if (size == 0)
            continue;
        for (uint32_t i = 0; i < count; i++)
            if (in_log && pages[i] < in_log_count)
                in_log[pages[i]] = true;
        count = 0;
        facts->frames = number;
        facts->pages = size;
    }
    free(pages);
    free(frame);
}

bool log_read(const char *path, bool *in_log, uint32_t in_log_count, LogFacts *facts)
{
    *facts = (LogFacts){0};
    FILE *log = fopen(path, "rbe");
    if (!log)
        return errno == ENOENT;
    LogSum sum;
    uint32_t page_bytes;
    if (read_header(log, &sum, &page_bytes, facts))
        read_frames(log, sum, page_bytes, in_log, in_log_count, facts);
    const bool is_read = !ferror(log);
    fclose(log);
    return is_read;
}

/* --- The witness --- */

typedef struct {
    uint32_t salts[2];
    uint32_t frames;
    uint32_t unused; /* 0 */
    uint64_t checksum;
} Record;

static uint64_t checksum_of(const Record *record)
{
    return checksum((const char *)record, offsetof(Record, checksum));
}

static bool read_record(const char *path, Record *record)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const bool is_read = descriptor >= 0 &&
                         pread(descriptor, record, sizeof *record, 0) == (ssize_t)sizeof *record &&
                         record->checksum == checksum_of(record);
    if (descriptor >= 0)
        close(descriptor);
    return is_read;
}

/* How often the log began again since `from`, negative: an earlier log; the count wraps around. */
static int32_t generations(uint32_t from, uint32_t to)
{
    return (int32_t)(to - from);
}

bool log_is_whole(Arena *arena, const char *path, const LogFacts *log, const char **problem)
{
    Record record;
    const bool is_witnessed = read_record(path, &record);
    const bool is_same = is_witnessed && log->has_header && record.salts[0] == log->salts[0] &&
                         record.salts[1] == log->salts[1];
    if (!is_witnessed && log->lost_commits > 1)
        *problem = arena_printf(arena,
                                "its log is damaged after %" PRIu32 " pages: %" PRIu32
                                " pages of commits follow",
                                log->frames, log->lost);
    else if (!is_witnessed || record.frames == 0)
        return true;
    else if (!log->has_header)
        *problem = arena_printf(
            arena, "its log with %" PRIu32 " pages of acknowledged commits is missing or damaged",
            record.frames);
    else if (is_same && log->frames < record.frames)
        *problem = arena_printf(arena,
                                "its log has %" PRIu32 " whole pages, but %" PRIu32
                                " pages of commits were acknowledged",
                                log->frames, record.frames);
    else if (!is_same && generations(record.salts[0], log->salts[0]) <= 0)
        *problem = "its log is an earlier one, or of another state";
    else
        return true;
    return false;
}

LogWitness log_witness_open(const char *path, const char *log_path)
{
    return (LogWitness){
        .path = path,
        .log_path = log_path,
        .descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600),
        .log = open(log_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW),
    };
}

static bool read_salts(LogWitness *witness)
{
    unsigned char salts[8] = {0};
    if (witness->log < 0)
        witness->log = open(witness->log_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    witness->knows_log =
        pread(witness->log, salts, sizeof salts, AT_SALTS) == (ssize_t)sizeof salts;
    witness->salts[0] = big_endian(salts);
    witness->salts[1] = big_endian(salts + 4);
    return witness->knows_log;
}

void log_witness_write(LogWitness *witness, uint32_t frames)
{
    if (witness->descriptor < 0 || (!witness->knows_log && !read_salts(witness)))
        return; // without a witness, a start believes the log
    Record record = {.salts = {witness->salts[0], witness->salts[1]}, .frames = frames};
    record.checksum = checksum_of(&record);
    const ssize_t written = pwrite(witness->descriptor, &record, sizeof record, 0);
    (void)written; // a part has a wrong checksum
}

void log_witness_forget(LogWitness *witness)
{
    witness->knows_log = false;
}

void log_witness_remove(LogWitness *witness)
{
    if (witness->descriptor >= 0)
        unlink(witness->path);
    log_witness_close(witness);
}

void log_witness_close(LogWitness *witness)
{
    if (witness->descriptor >= 0)
        close(witness->descriptor);
    if (witness->log >= 0)
        close(witness->log);
    witness->descriptor = witness->log = -1;
}

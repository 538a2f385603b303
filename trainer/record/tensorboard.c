#include "trainer/record/tensorboard.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/text.h"
#include "sim/cli/machine_clock.h"
#include "sim/formats/crc32c.h"

enum { NAMES_MAX = 1000 }; // tries for a free file name

struct TensorBoard {
    const char *path;
    FILE *stream;
    Text event, summary, value; /* messages, the inner ones inside the outer */
};

double tensorboard_clock_s(void)
{
    return (double)machine_unix_ns() / (double)NS_PER_S;
}

/* --- Protocol buffers (developers.google.com/protocol-buffers/docs/encoding) --- */

typedef enum { WIRE_VARINT = 0, WIRE_64_BITS = 1, WIRE_BYTES = 2, WIRE_32_BITS = 5 } WireType;

enum {
    EVENT_WALL_TIME = 1,
    EVENT_STEP,
    EVENT_FILE_VERSION,
    EVENT_SUMMARY = 5,
    EVENT_SESSION_LOG = 7
};
enum { SUMMARY_VALUE = 1, VALUE_TAG = 1, VALUE_SIMPLE = 2 };
enum { SESSION_LOG_STATUS = 1, SESSION_LOG_START = 1 };

static void add_little_endian(Text *text, uint64_t value, int32_t bytes)
{
    for (int32_t i = 0; i < bytes; i++) {
        const char byte = (char)(unsigned char)(value >> 8 * i);
        text_append(text, &byte, 1);
    }
}

/* Seven bits per byte, the lowest first; the eighth bit is set if more bytes follow. */
static void add_varint(Text *text, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        add_little_endian(text, (value & 0x7f) | 0x80, 1);
    add_little_endian(text, value, 1);
}

static void add_key(Text *text, uint32_t field, WireType type)
{
    add_varint(text, field << 3 | (uint32_t)type);
}

static void add_number(Text *text, uint32_t field, uint64_t value)
{
    add_key(text, field, WIRE_VARINT);
    add_varint(text, value);
}

static void add_bytes(Text *text, uint32_t field, const char *bytes, size_t length)
{
    add_key(text, field, WIRE_BYTES);
    add_varint(text, length);
    text_append(text, bytes, length);
}

static void add_float(Text *text, uint32_t field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    add_key(text, field, WIRE_32_BITS);
    add_little_endian(text, bits, sizeof bits);
}

static void add_double(Text *text, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    add_key(text, field, WIRE_64_BITS);
    add_little_endian(text, bits, sizeof bits);
}

/* --- Events --- */

/* Begins board->event. A step of 0 is omitted, like every number 0 in proto3. */
static void event_begin(TensorBoard *board, double wall_s, int64_t step)
{
    text_clear(&board->event);
    add_double(&board->event, EVENT_WALL_TIME, wall_s);
    if (step != 0)
        add_number(&board->event, EVENT_STEP, (uint64_t)step);
}

static uint32_t masked_crc(const char *bytes, size_t length)
{
    Crc32c tables; // an event has a few hundred bytes, and comes once an epoch
    crc32c_prepare(&tables);
    const uint32_t crc = crc32c_of(&tables, bytes, length);
    return ((crc >> 15) | (crc << 17)) + UINT32_C(0xa282ead8);
}

/* Writes board->event as a record. `flush` reports errors of the stream. */
static void event_end(TensorBoard *board)
{
    const Text *event = &board->event;
    Text frame = {0};
    add_little_endian(&frame, event->length, 8);
    add_little_endian(&frame, masked_crc(frame.data, frame.length), 4);
    text_append(&frame, event->data, event->length);
    add_little_endian(&frame, masked_crc(event->data, event->length), 4);
    fwrite(frame.data, 1, frame.length, board->stream);
    text_free(&frame);
}

static void write_version(TensorBoard *board, double wall_s)
{
    static const char version[] = "brain.Event:2";
    event_begin(board, wall_s, 0);
    add_bytes(&board->event, EVENT_FILE_VERSION, version, strlen(version));
    event_end(board);
}

static void write_start(TensorBoard *board, double wall_s, int64_t epochs)
{
    text_clear(&board->value);
    add_number(&board->value, SESSION_LOG_STATUS, SESSION_LOG_START);
    event_begin(board, wall_s, epochs);
    add_bytes(&board->event, EVENT_SESSION_LOG, board->value.data, board->value.length);
    event_end(board);
}

static void write_scalar(TensorBoard *board, double wall_s, int64_t step, const char *tag,
                         double value)
{
    text_clear(&board->value);
    add_bytes(&board->value, VALUE_TAG, tag, strlen(tag));
    add_float(&board->value, VALUE_SIMPLE, (float)value);
    text_clear(&board->summary);
    add_bytes(&board->summary, SUMMARY_VALUE, board->value.data, board->value.length);
    event_begin(board, wall_s, step);
    add_bytes(&board->event, EVENT_SUMMARY, board->summary.data, board->summary.length);
    event_end(board);
}

/* --- The file --- */

static bool fail_write(const char *path, Status *status)
{
    return status_fail(status, STATUS_MACHINE, place_in(path, 0, 0), "writing failed: %s",
                       strerror(errno));
}

static bool flush(TensorBoard *board, Status *status)
{
    errno = 0;
    if (fflush(board->stream) == 0 && !ferror(board->stream))
        return true;
    return fail_write(board->path, status);
}

/* Creates a file that did not exist; -1 with the reason in errno. */
static int create_new(const char *folder, const char *host, double wall_s, Arena *arena,
                      const char **path)
{
    const char *name =
        arena_printf(arena, "%s/events.out.tfevents.%" PRId64 ".%s", folder, (int64_t)wall_s, host);
    int descriptor = -1;
    *path = name;
    for (int i = 1; i < NAMES_MAX; i++) {
        descriptor = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            break;
        *path = arena_printf(arena, "%s.%d", name, i);
    }
    return descriptor;
}

bool tensorboard_open(const char *folder, const char *host, double wall_s, int64_t epochs,
                      Arena *arena, TensorBoard **board, Status *status)
{
    const char *path;
    const int descriptor = create_new(folder, host, wall_s, arena, &path);
    if (descriptor < 0)
        return fail_write(path, status);
    TensorBoard *opened = ARENA_NEW(arena, TensorBoard);
    *opened = (TensorBoard){.path = path, .stream = fdopen(descriptor, "wb")};
    if (!opened->stream) {
        fail_write(path, status);
        close(descriptor);
        return false;
    }
    write_version(opened, wall_s);
    if (epochs > 0)
        write_start(opened, wall_s, epochs);
    if (!flush(opened, status)) {
        tensorboard_close(opened);
        return false;
    }
    *board = opened;
    return true;
}

bool tensorboard_add(TensorBoard *board, double wall_s, const EpochRecord *record, Status *status)
{
    for (int32_t i = 0; i < EPOCH_MEASURES; i++) {
        const EpochMeasure *measure = &epoch_measures[i];
        const double value = epoch_measure(record, measure);
        if (measure->offset != offsetof(EpochRecord, seconds) && !isnan(value))
            write_scalar(board, wall_s, record->epoch - 1, measure->name, value);
    }
    return flush(board, status);
}

void tensorboard_close(TensorBoard *board)
{
    if (!board)
        return;
    fclose(board->stream);
    text_free(&board->event);
    text_free(&board->summary);
    text_free(&board->value);
}

const char *tensorboard_path(const TensorBoard *board)
{
    return board->path;
}

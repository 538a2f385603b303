/* For any bytes in a timeline's table, reading ends with spans or with a message. Spans can be
 * written, read back unchanged, and drawn. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "trainer/record/timeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_spans(const TimelineFile *file)
{
    for (int64_t i = 0; i < file->count; i++) {
        const TimelineSpan *span = &file->spans[i];
        invariant(span->phase < PHASE_COUNT && span->step >= 0 && span->bytes >= 0);
        invariant(span->begin_ns >= 0 && span->end_ns >= span->begin_ns && span->stage == 0);
        invariant(span->rank >= 0 && span->rank < file->ranks);
    }
}

static void check_rewritten(Arena *arena, const TimelineFile *file)
{
    char path[] = "/tmp/trainyard-fuzz-timeline-XXXXXX";
    TimelineFile again;
    Status status;
    const int descriptor = mkstemp(path);
    invariant(descriptor >= 0);
    fclose(fdopen(descriptor, "w"));
    const bool is_right =
        timeline_write(file, path, &status) && timeline_read(path, arena, &again, &status);
    remove(path);
    invariant(is_right);
    invariant(again.rank == file->rank && again.ranks == file->ranks);
    invariant(again.count == file->count);
    invariant(file->count == 0 ||
              memcmp(again.spans, file->spans, (size_t)file->count * sizeof *file->spans) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    TimelineFile file;
    Status status = {0};
    if (!timeline_parse("fuzz", (const char *)data, size, arena, &file, &status)) {
        invariant(status.code == STATUS_BAD_INPUT && status.message[0] != '\0');
        invariant(status.at.line >= 1 && status.at.column >= 1);
    } else {
        check_spans(&file);
        check_rewritten(arena, &file);
        FILE *nowhere = fopen("/dev/null", "w");
        invariant(nowhere != NULL);
        timeline_chrome(&file, 1, (TimelineStages){0}, nowhere);
        fclose(nowhere);
    }
    arena_destroy(arena);
    return 0;
}

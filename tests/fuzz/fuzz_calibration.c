/* Whatever was measured, fitting it ends with a catalogue or with a message; a catalogue is read
 * again or refused, and has not moved from itself. The input is a text of measurements. */
#include <stdint.h>
#include <string.h>

#include "real/calibrate/calibration.h"
#include "real/calibrate/calibration_compare.h"
#include "sim/base/invariant.h"
#include "sim/scenario/catalog/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const Json *printed_and_read(Arena *arena, const Json *catalogue)
{
    Text text = {0};
    json_print(&text, catalogue, JSON_INDENTED);
    Problems problems = problems_create(arena);
    const Json *again = json_parse(arena, "again", arena_strndup(arena, text.data, text.length),
                                   text.length, JSON_STRICT, &problems);
    text_free(&text);
    invariant(again != NULL);
    return again;
}

static void check_catalogue(Arena *arena, const Json *catalogue)
{
    Problems problems = problems_create(arena);
    const Json *again = printed_and_read(arena, catalogue);
    invariant(catalog_read(arena, &again, 1, &problems) != NULL || problems.count > 0);
    Status status = {0};
    int32_t count;
    const CalibrationMove *moves = calibration_compare(arena, again, again, &count, &status);
    for (int32_t i = 0; moves && i < count; i++)
        invariant(moves[i].moved == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    Problems problems = problems_create(arena);
    Status status = {0};
    const Json *measurements =
        json_parse(arena, "fuzz", (const char *)data, size, JSON_WITH_COMMENTS, &problems);
    const Json *catalogue = measurements ? calibration_fit(arena, measurements, &status) : NULL;
    if (catalogue)
        check_catalogue(arena, catalogue);
    else if (measurements)
        invariant(status.code == STATUS_BAD_INPUT && status.message[0] != '\0');
    arena_destroy(arena);
    return 0;
}

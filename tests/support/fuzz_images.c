#include "tests/support/fuzz_images.h"

#include "sim/base/invariant.h"

void fuzz_images(ImageParser parser, const uint8_t *data, size_t size)
{
    enum { CAPACITY = 4, BEFORE = 1 };
    Arena *arena = arena_create();
    ImageSet set = {.count = BEFORE,
                    .images = arena_alloc(arena, (size_t)CAPACITY * IMAGE_BYTES),
                    .labels = arena_alloc(arena, CAPACITY)};
    Status status = {0};
    if (parser("fuzz", data, size, CAPACITY, &set, &status)) {
        invariant(set.count > BEFORE && set.count <= CAPACITY);
        for (int32_t i = 0; i < set.count; i++)
            invariant(set.labels[i] < CLASS_COUNT);
    } else {
        invariant(set.count == BEFORE);
        invariant(status.code == STATUS_BAD_INPUT && status.message[0] != '\0');
    }
    arena_destroy(arena);
}

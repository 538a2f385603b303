/* For any bytes in the table of a validation, reading ends with measurements or with a message. */
#include <stdint.h>

#include "real/compare/validation.h"
#include "sim/base/invariant.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    ValidationTable table;
    Status status = {0};
    if (validation_parse("fuzz", (const char *)data, size, arena, &table, &status)) {
        invariant(table.row_count >= 1 && table.cores >= 1);
        for (int32_t i = 0; i < table.row_count; i++) {
            const ValidationRow *row = &table.rows[i];
            invariant(row->median_ns > 0 && row->batch >= 1 && row->ranks >= 1);
            invariant(row->precision < STEP_PRECISION_COUNT && row->min_ns >= 0);
        }
    } else {
        invariant(status.code == STATUS_BAD_INPUT && status.at.line >= 1);
    }
    arena_destroy(arena);
    return 0;
}

/* For any bytes in a history.tsv, reading ends with rows in order of epochs or with a message. */
#include <math.h>
#include <stdint.h>

#include "sim/base/invariant.h"
#include "trainer/record/history.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    HistoryFile file;
    Status status = {0};
    if (!history_parse("fuzz", (const char *)data, size, arena, &file, &status)) {
        invariant(status.code == STATUS_BAD_INPUT && status.message[0] != '\0');
        invariant(status.at.line >= 1 && status.at.column >= 1);
    } else {
        for (int64_t i = 0; i < file.count; i++) {
            invariant(i == 0 || file.records[i].epoch > file.records[i - 1].epoch);
            invariant(isfinite(file.records[i].loss));
            invariant(!(file.records[i].acc > 1) && !(file.records[i].val_acc > 1));
        }
    }
    arena_destroy(arena);
    return 0;
}

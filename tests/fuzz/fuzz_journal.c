/* For any bytes in a journal, reading ends with records or with problems. Records that are read can
 * be written, and are then read back in every bit. The whole lines are read alike once the
 * torn tail is cut off. */
#include <stdlib.h>

#include "sim/base/invariant.h"
#include "sim/study/journal/journal_text.h"
#include "tests/support/run_journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    bool is_right;
    RunRecords records;
    JournalExtent extent;
} ReadJournal;

static ReadJournal read_journal(Arena *arena, const Crc32c *crc, const char *text, size_t length)
{
    ReadJournal read = {0};
    Problems problems = problems_create(arena);
    RunCollection *collection = run_collection_create(arena, TEST_METRICS);
    read.is_right = journal_text_read(crc, "fuzz", text, length, &test_identity, collection,
                                      &read.extent, &problems);
    invariant(read.is_right == (problems.count == 0));
    invariant(read.extent.valid_bytes <= length);
    if (read.is_right) {
        invariant(read.extent.torn_bytes == (int64_t)(length - read.extent.valid_bytes));
        read.is_right = run_collection_finish(collection, &read.records, &problems);
    }
    return read;
}

static void check_rewritten(Arena *arena, const Crc32c *crc, const RunRecords *records)
{
    Text text = {0};
    journal_header_print(crc, &test_identity, &text);
    for (int64_t i = 0; i < records->count; i++)
        journal_record_print(crc, &records->items[i], &text);
    const ReadJournal again = read_journal(arena, crc, text.data, text.length);
    invariant(again.is_right && again.extent.torn_bytes == 0);
    invariant(again.records.count == records->count);
    for (int64_t i = 0; i < records->count; i++)
        invariant(run_record_is_same(&again.records.items[i], &records->items[i]));
    text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    Crc32c crc;
    crc32c_prepare(&crc);
    const char *text = (const char *)data;
    const ReadJournal read = read_journal(arena, &crc, text, size);
    if (read.is_right) {
        const ReadJournal cut = read_journal(arena, &crc, text, read.extent.valid_bytes);
        invariant(cut.is_right && cut.records.count == read.records.count);
        check_rewritten(arena, &crc, &read.records);
    }
    JournalIdentity identity;
    bool is_torn = false;
    Status status = {0};
    if (journal_text_identity(arena, &crc, "fuzz", text, size, &identity, &is_torn, &status))
        invariant(is_torn || identity.version != NULL);
    arena_destroy(arena);
    return 0;
}

/* The reader of packed entries on any bytes: the first byte selects whether they are compressed.
 * What it accepts has rising instants, and packed again it is read as the same. */
#include <stdint.h>
#include <string.h>

#include "emu/state/journal_pack.h"
#include "sim/base/invariant.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_text(Arena *arena, const char *text, size_t length)
{
    const char *at = text, *end = text + length, *again_at;
    JournalEntry entry = {0}, again = {0};
    Text packed = {0};
    int64_t before_ns = 0;
    while (journal_pack_next(&at, end, &entry)) {
        invariant(entry.at_ns >= before_ns && at <= end);
        journal_pack_add(&packed, &entry, before_ns);
        before_ns = entry.at_ns;
    }
    size_t packed_bytes;
    const char *bytes = journal_pack_compress(arena, &packed, &packed_bytes);
    const char *whole = journal_pack_expand(arena, bytes, packed_bytes, (int64_t)packed.length);
    invariant((whole != NULL) == (packed.length > 0));
    again_at = whole;
    while (whole && journal_pack_next(&again_at, whole + packed.length, &again))
        ;
    invariant(again.sequence == entry.sequence && again.at_ns == entry.at_ns);
    text_free(&packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HEAD_BYTES = 3 };
    if (size < HEAD_BYTES)
        return 0;
    Arena *arena = arena_create();
    const int64_t text_bytes = data[1] + 256 * data[2];
    const uint8_t *rest = data + HEAD_BYTES;
    size -= HEAD_BYTES;
    const char *text = data[0] % 2 == 0 ? journal_pack_expand(arena, rest, size, text_bytes)
                                        : arena_strndup(arena, (const char *)rest, size);
    if (text)
        read_text(arena, text, data[0] % 2 == 0 ? (size_t)text_bytes : size);
    arena_destroy(arena);
    return 0;
}

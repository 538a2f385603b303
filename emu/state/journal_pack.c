#include "emu/state/journal_pack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "sim/base/invariant.h"

/* Level 1 takes half the time and a quarter more space, level 9 twice the time and 3 % less. */
enum { LEVEL = 6 };
/* zlib's best ratio is 1032: a longer text is not what these bytes say. */
enum { RATIO_MOST = 1032, TEXT_BYTES_MOST = 1 << 30 };

void journal_pack_add(Text *text, const JournalEntry *entry, int64_t before_ns)
{
    const char *const parts[] = {entry->list, entry->command, entry->kept, entry->subject};
    text_printf(text, "%" PRId64, entry->at_ns - before_ns);
    text_append(text, "", 1);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        text_append(text, parts[i], strlen(parts[i]) + 1);
}

const char *journal_pack_compress(Arena *arena, const Text *text, size_t *length)
{
    uLongf bytes = compressBound(text->length);
    char *packed = arena_alloc(arena, bytes);
    const int code =
        compress2((Bytef *)packed, &bytes, (const Bytef *)text_string(text), text->length, LEVEL);
    invariant(code == Z_OK);
    *length = bytes;
    return packed;
}

const char *journal_pack_expand(Arena *arena, const void *packed, size_t length, int64_t text_bytes)
{
    if (text_bytes < 1 || text_bytes > TEXT_BYTES_MOST ||
        (uint64_t)text_bytes / RATIO_MOST > length)
        return NULL;
    uLongf bytes = (uLongf)text_bytes;
    char *text = arena_alloc(arena, bytes);
    const bool is_whole = uncompress((Bytef *)text, &bytes, packed, length) == Z_OK &&
                          bytes == (uLongf)text_bytes && text[bytes - 1] == '\0';
    return is_whole ? text : NULL;
}

bool journal_pack_next(const char **text, const char *end, JournalEntry *entry)
{
    const char *parts[5], *at = *text;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *nul = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
        if (!nul)
            return false;
        parts[i] = at;
        at = nul + 1;
    }
    char *rest;
    const int64_t since_ns = strtoll(parts[0], &rest, 10);
    if (rest == parts[0] || *rest != '\0' || since_ns < 0 || since_ns > INT64_MAX - entry->at_ns)
        return false;
    *entry = (JournalEntry){.sequence = entry->sequence + 1,
                            .at_ns = entry->at_ns + since_ns,
                            .list = parts[1],
                            .command = parts[2],
                            .kept = parts[3],
                            .subject = parts[4]};
    *text = at;
    return true;
}

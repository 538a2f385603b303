/* Packs of the journal: older entries, compressed together (zlib), which takes a twentieth to a
 * sixtieth of their rows' space. They are needed to replay a session from its begin, for an export
 * and where no snapshot can be used.
 *
 * Before compression an entry is five texts, each ended by NUL: the nanoseconds since the entry
 * before it in the pack (of the first: since 0) in decimal digits, then list, command, kept and
 * subject. Numbers of entries follow each other. */
#ifndef EMU_JOURNAL_PACK_H
#define EMU_JOURNAL_PACK_H

#include "emu/state/store.h"
#include "sim/base/arena.h"
#include "sim/base/text.h"

/* Appends an entry to the text of a pack. `before_ns`: the instant of the entry before it; 0. */
void journal_pack_add(Text *text, const JournalEntry *entry, int64_t before_ns);
/* The compressed text, in `arena`. */
const char *journal_pack_compress(Arena *arena, const Text *text, size_t *length);

/* The text of a pack of `text_bytes` bytes, in `arena`; NULL if it is damaged. */
const char *journal_pack_expand(Arena *arena, const void *packed, size_t length,
                                int64_t text_bytes);
/* Reads the next entry of a text and moves `*text` on. `entry` has the entry before it, or zeros.
 * False at the end, and if the text is damaged: then `*text` is not `end`. */
bool journal_pack_next(const char **text, const char *end, JournalEntry *entry);

#endif

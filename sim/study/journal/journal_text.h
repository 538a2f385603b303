/* The bytes of a journal: what the writer appends, and what the reader makes of any bytes.
 *
 *     trainyard-journal 1  version=0.1.0  rng=1  study=...  metric=cost_usd.total   1c291ca3
 *     0  7  8  e21b3b6f00c1a5d2  12.5  >=3600  unknown  0f9a31bb
 *
 * Fields are separated by tabs. The first line is the header with the journal's identity. Each
 * further line is a run: point, replication, seed, fingerprint (16 hexadecimal digits) and values.
 * Each line ends with the CRC-32C, in 8 hexadecimal digits, of the bytes before its last tab.
 *
 * A writer that is killed leaves a torn tail: bytes at the end without a line that has a right
 * checksum. They are dropped, because their runs can be repeated. A wrong line before a right one
 * is damage, which is reported. */
#ifndef SIM_STUDY_JOURNAL_JOURNAL_TEXT_H
#define SIM_STUDY_JOURNAL_JOURNAL_TEXT_H

#include "sim/formats/crc32c.h"
#include "sim/study/journal/identity.h"
#include "sim/study/journal/run_records.h"

enum { JOURNAL_FORMAT = 1 };

/* Add a line. */
void journal_header_print(const Crc32c *crc, const JournalIdentity *identity, Text *out);
void journal_record_print(const Crc32c *crc, const RunRecord *record, Text *out);

typedef struct {
    size_t valid_bytes; /* the lines before the torn tail; 0: not even the header is whole */
    int64_t record_count;
    int64_t torn_bytes;
} JournalExtent;

/* Reads a journal of `length` bytes and adds its runs to `collection`; NULL: checks the header and
 * the checksums only. Problems, each at its place in `source`: a file that is not a journal,
 * another format or identity, damaged lines. Returns false if there are any; runs before them have
 * been added. */
bool journal_text_read(const Crc32c *crc, const char *source, const char *text, size_t length,
                       const JournalIdentity *expected, RunCollection *collection,
                       JournalExtent *extent, Problems *problems);

/* Reads the identity alone. `*is_torn`: the journal ends in its header, so that it has neither an
 * identity nor runs. STATUS_BAD_INPUT for anything else than a journal. The identity is in `arena`.
 */
MUST_CHECK bool journal_text_identity(Arena *arena, const Crc32c *crc, const char *source,
                                      const char *text, size_t length, JournalIdentity *identity,
                                      bool *is_torn, Status *status);

#endif

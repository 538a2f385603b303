/* A run in one line, one rolling hash for each group of ingredients, so that a mismatch already
 * says what kind of thing changed:
 *
 *     e:1f0e.../t:9a41.../n:.../j:.../b:.../f:...
 *
 *     e  events      which records came, in which order; commands and resources
 *     t  times       when each came, and where each span began
 *     n  nodes       states of nodes and clusters
 *     j  jobs        states, stages and training of jobs
 *     b  bills       node time billed and its price
 *     f  files       transfers, checkpoints and files written
 *
 * A run that is only slower keeps all but t (and b, and whatever counts ns). Each hash takes the
 * names and integers of its records, never ids or addresses, as little-endian 64-bit words (a name:
 * FNV-1a of its bytes), by h = mix((h ^ word) * 0x9e3779b97f4a7c15), mix(x) = x ^ x >> 32. It is a
 * checksum, not a signature. `trainyard run` takes it of all records down to single steps, whatever
 * level of them the trace keeps. */
#ifndef SIM_OUTPUT_FINGERPRINT_H
#define SIM_OUTPUT_FINGERPRINT_H

#include "sim/base/text.h"
#include "sim/output/trace_row.h"

enum { FINGERPRINT_GROUPS = 6, FINGERPRINT_NAMES = 6 };

typedef struct {
    const char *name;
    uint64_t hash;
} KnownName;

/* Start with fingerprint_start(). */
typedef struct {
    uint64_t hash[FINGERPRINT_GROUPS];
    KnownName
        known[FINGERPRINT_NAMES]; /* of the last row, by column: rows' strings outlive the fold */
} Fingerprint;

Fingerprint fingerprint_start(void);
void fingerprint_add(Fingerprint *fingerprint, const TraceRow *row);
/* Adds every row of `level` and below. */
TraceListener fingerprint_listener(Fingerprint *fingerprint, TraceLevel level);
void fingerprint_print(Text *out, const Fingerprint *fingerprint);

#endif

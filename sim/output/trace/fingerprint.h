/* A run in one line, one rolling hash for each kind of ingredient, so that a mismatch already says
 * what kind of thing changed:
 *
 *     events:1f0e.../times:9a41.../nodes:.../jobs:.../bills:.../files:.../draws:...
 *
 *     events  which records came, in which order; commands and resources
 *     times   when each came, and where each span began
 *     nodes   states of nodes and clusters
 *     jobs    states, stages, attempts and training of jobs
 *     bills   node time billed and its price
 *     files   transfers, checkpoints and files written
 *     draws   how many random words the world drew, and their sum
 *
 * A run that is only slower keeps all but times (and bills, and whatever counts ns). Each hash
 * takes the names, causes and integers of its records, never ids or addresses, as little-endian
 * 64-bit words (a name: FNV-1a of its bytes), by h = mix((h ^ word) * 0x9e3779b97f4a7c15), mix(x) =
 * x ^ x >> 32. It is a checksum, not a signature. `trainyard run` takes it of all records down to
 * single steps, whatever level of them the trace keeps. The noise of single steps is no draw of the
 * world: it shows in jobs. */
#ifndef SIM_OUTPUT_FINGERPRINT_H
#define SIM_OUTPUT_FINGERPRINT_H

#include <stdbool.h>

#include "sim/base/text.h"
#include "sim/output/trace/row.h"

enum { FINGERPRINT_GROUPS = 7, FINGERPRINT_NAMES = 7 };

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
/* Of two printed fingerprints, whether they are the same; where not, adds to `out` a sentence that
 * names the ingredients that differ and those that do not. */
bool fingerprint_compare(Text *out, const char *a, const char *b);

#endif

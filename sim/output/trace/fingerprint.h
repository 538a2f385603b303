/* A run in one line: one rolling hash for each kind of ingredient, so that a mismatch names the
 * kind of change.
 *
 *     events:1f0e.../times:9a41.../nodes:.../jobs:.../bills:.../files:.../draws:...
 *
 *     events  which records were emitted, in which order; commands and resources
 *     times   the time of each record, and where each span began
 *     nodes   states of nodes and clusters
 *     jobs    states, stages, attempts and training of jobs
 *     bills   node time billed and its price
 *     files   transfers, checkpoints and files written
 *     draws   how many random words the world drew, and their sum
 *
 * A run that is only slower keeps all hashes except times, bills, and those of values in ns. A
 * hash takes the names, causes and integers of its records, never ids or addresses, as little-
 * endian 64-bit words (a name: FNV-1a of its bytes), by h = mix((h ^ word) *
 * 0x9e3779b97f4a7c15), mix(x) = x ^ x >> 32. It is a checksum, not a signature. `trainyard run`
 * hashes all records down to single steps, whatever level the trace keeps. The noise of single
 * steps is not a draw of the world: it shows in jobs. */
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

/* Create it with fingerprint_start(). */
typedef struct {
    uint64_t hash[FINGERPRINT_GROUPS];
    KnownName known[FINGERPRINT_NAMES]; /* the last row's names, by column: the strings of rows
                                           outlive the fold */
} Fingerprint;

Fingerprint fingerprint_start(void);
void fingerprint_add(Fingerprint *fingerprint, const TraceRow *row);
/* Adds every row of `level` and below. */
TraceListener fingerprint_listener(Fingerprint *fingerprint, TraceLevel level);
void fingerprint_print(Text *out, const Fingerprint *fingerprint);

/* The ingredients of two printed fingerprints that are the same, and those that differ. */
typedef struct {
    const char *same[FINGERPRINT_GROUPS];
    uint32_t same_count;
    const char *different[FINGERPRINT_GROUPS];
    uint32_t different_count; /* 0 and !is_same: only ingredients of another version differ */
    bool is_same;
} FingerprintComparison;

FingerprintComparison fingerprint_compare(const char *a, const char *b);
/* Adds a sentence that names both, unless the fingerprints are the same. */
void fingerprint_comparison_print(Text *out, const FingerprintComparison *comparison);

#endif

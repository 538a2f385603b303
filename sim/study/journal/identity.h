/* The identity of a study: all that its runs depend on. Records of equal identities can be mixed:
 * the same point and replication give the same record. */
#ifndef SIM_STUDY_JOURNAL_IDENTITY_H
#define SIM_STUDY_JOURNAL_IDENTITY_H

#include "sim/base/status.h"
#include "sim/base/text.h"

/* Texts without tabs, line ends and other control characters; hashes as hexadecimal digits. */
typedef struct {
    const char *version;   /* of trainyard */
    const char *rng;       /* of the random draws */
    const char *study;     /* hash of the expanded study: points, seeds, metrics, stopping rule */
    const char *scenario;  /* hash of the scenario and the files that it includes */
    const char *catalogue; /* hash of all catalogues */
    const char *workloads; /* hash of the job lists; "" without lists */
    const char *policy;    /* checksum of the policy from outside; "" or NULL without any */
    const char *const *metrics; /* names, in the order of a record's values */
    uint32_t metric_count;
} JournalIdentity;

/* Adds the facts as "\tNAME=VALUE", the metrics last, one "\tmetric=NAME" each. */
void journal_identity_print(const JournalIdentity *identity, Text *out);
/* Reads these facts from `length` bytes of `text`, whose first byte is at `at`. STATUS_BAD_INPUT at
 * the fact that is missing or unknown. The identity is in `arena`. */
MUST_CHECK bool journal_identity_parse(Arena *arena, const char *text, size_t length, Place at,
                                       JournalIdentity *identity, Status *status);

/* True if the identities are equal. Otherwise STATUS_BAD_INPUT at `at`, with each fact of `found`
 * that differs from `expected`, and both values. */
MUST_CHECK bool journal_identity_matches(const JournalIdentity *found,
                                         const JournalIdentity *expected, Place at, Status *status);

#endif

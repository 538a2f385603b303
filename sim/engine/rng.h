/* Random words by address (rng: philox4x32-10/v1).
 *
 * There is no sequence and no state: a word is a function of (seed, stream, entity, draw). Adding a
 * node or a job leaves the words of all others unchanged, so two policies are compared under the
 * same failures. Any word can be computed again independently. */
#ifndef SIM_ENGINE_RNG_H
#define SIM_ENGINE_RNG_H

#include <stdint.h>

/* The purpose of a word. The numbers are part of the format: append, never reorder. */
typedef enum {
    RNG_CLUSTER_RECORD = 1,
    RNG_ALLOCATION,
    RNG_NODE_PREPARATION,
    RNG_NODE_RELEASE,
    RNG_JOB_RECORD_OWN, /* unused: the record takes the word of RNG_JOB_START */
    RNG_JOB_START,
    RNG_NODE_STAGE, /* draw = stage * 2^16 + attempt */
    RNG_STEP,       /* draw = step * 2^16 + rank */
    RNG_LEARNING,   /* draw = epoch * 2^24 + rank * 2^8 + (0: evaluation, 1, 2, ...: progress) */
    RNG_IDENTITY,   /* GUIDs and opaque numbers */
    RNG_DELETE,
    RNG_STEP_ORDER,
    RNG_SHUFFLE,       /* of events at one time */
    RNG_NODE_FAILURE,  /* draw = failure * 2 + (0: time until it, 1: repair) */
    RNG_NODE_LIFETIME, /* of a low-priority node */
    RNG_GROUP_FAILURE, /* draw: as for RNG_NODE_FAILURE */
    RNG_CHANCE,        /* draw = kind of mishap * 2^32 + occurrence */
    RNG_DETECTION,
    RNG_REBOOT,
    RNG_FAULT,    /* the node that a fault strikes, if the fault does not name one */
    RNG_WORKLOAD, /* draw = job * 2^8 + (0: gap, 1: shape, ...) */
    RNG_FILE_SERVER,
    RNG_SETUP,
    RNG_RESAMPLE, /* of a list: draw = layer * 2^32 + place of a piece; of that piece: draw = row */
} RngStream;

/* 64 uniform bits. `entity` is a stable hash of a name (name_hash), not an order of creation;
 * `draw` is below 2^48. The key is the seed, the counter (entity, draw + stream * 2^48), low 32
 * bits first; the result is the first two of the four words. */
uint64_t rng_word(uint64_t seed, RngStream stream, uint64_t entity, uint64_t draw);

#endif

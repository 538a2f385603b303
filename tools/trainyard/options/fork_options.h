/* Options that let what follows a moment differ: another seed, another scheduling policy. */
#ifndef TOOLS_TRAINYARD_FORK_OPTIONS_H
#define TOOLS_TRAINYARD_FORK_OPTIONS_H

#include <inttypes.h>

#include "sim/cli/options.h"
#include "sim/scenario/format/types.h"

typedef struct {
    int64_t at_ns; /* -1: not given */
    int64_t seed;  /* -1: unchanged */
    int policy;    /* a PolicyKind; -1: unchanged */
} ForkOptions;

#define FORK_OPTIONS_NONE                                                                          \
    {                                                                                              \
        .at_ns = -1, .seed = -1, .policy = -1                                                      \
    }

/* The rows of the options; `member` of OWNER is a ForkOptions. */
#define OPTIONS_OF_FORK(member, at_text)                                                           \
    OPTION_DURATION(0, "fork-at", member.at_ns, "TIME", at_text),                                  \
        OPTION_INTEGER(0, "fork-seed", member.seed, "N", 0, SEED_MOST,                             \
                       "let chance follow another seed from there on"),                            \
        OPTION_CHOICE(0, "fork-policy", member.policy, "POLICY", policy_words,                     \
                      "let another policy choose the next jobs from there on")

enum { FORK_CHANGES_MOST = 2 };

/* Writes the changes as faults of a scenario (scenarios/FORMAT.md) in the form of JSON, in `arena`,
 * and returns their number. `at`: "" or their time, as in ", \"at\": \"5m\"". */
static inline int32_t fork_changes(Arena *arena, const ForkOptions *fork, const char *at,
                                   const char *changes[FORK_CHANGES_MOST])
{
    int32_t count = 0;
    if (fork->seed >= 0)
        changes[count++] = arena_printf(arena, "{\"do\": \"%s\", \"seed\": %" PRId64 "%s}",
                                        command_name(COMMAND_SEED_CHANGE), fork->seed, at);
    if (fork->policy >= 0)
        changes[count++] =
            arena_printf(arena, "{\"do\": \"%s\", \"policy\": \"%s\"%s}",
                         command_name(COMMAND_POLICY_CHANGE), policy_words[fork->policy], at);
    return count;
}

#endif

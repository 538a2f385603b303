/* The words that a shell offers when Tab is pressed, from the tables that parse the command line.
 */
#ifndef SIM_CLI_COMPLETION_H
#define SIM_CLI_COMPLETION_H

#include "sim/cli/options.h"

/* Scripts that a shell evaluates (`trainyard completion SHELL`), or loads from its folder of
 * completions: verbs, options, choices, files and folders. */
void completion_bash(const OptionTable *const *tables, int32_t count, Text *out);
void completion_zsh(const OptionTable *const *tables, int32_t count, Text *out);
void completion_fish(const OptionTable *const *tables, int32_t count, Text *out);

/* X(NAME): the shells with a script, by name */
#define COMPLETION_SHELLS(X) X(bash) X(zsh) X(fish)

/* --- For the scripts --- */

typedef enum {
    OFFER_NO_VALUE,
    OFFER_NOTHING,
    OFFER_FILES,
    OFFER_FOLDERS,
    OFFER_WORDS
} CompletionOffer;

/* Returns which words may follow an option. */
CompletionOffer completion_offer(const Field *option);

#endif

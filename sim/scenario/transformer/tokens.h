/* Numbers of tokens as people write them: "1T", "300B", "15.6T", "2000000". */
#ifndef SIM_SCENARIO_TRANSFORMER_TOKENS_H
#define SIM_SCENARIO_TRANSFORMER_TOKENS_H

#include <stdint.h>

#include "sim/base/status.h"

/* STATUS_BAD_INPUT at `at` when `text` is not such a number, or is 0. */
MUST_CHECK bool tokens_parse(const char *text, Place at, int64_t *tokens, Status *status);

#endif

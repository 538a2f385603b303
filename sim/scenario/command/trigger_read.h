/* When a command is due, as text: "cluster nc6 steady", "job train completed + 5m", "job train
 * epoch 3 + 12m". */
#ifndef SIM_SCENARIO_TRIGGER_READ_H
#define SIM_SCENARIO_TRIGGER_READ_H

#include "sim/base/status.h"
#include "sim/base/text.h"
#include "sim/cloud/spec/command.h"

/* The trigger that `text` describes; its subject is in `arena`. */
MUST_CHECK bool trigger_read(Arena *arena, const char *text, Place at, Trigger *trigger,
                             Status *status);

/* The same text again: "at 15s", "after cluster nc6 steady + 5m", "when job train running == 1". */
void trigger_print(Text *text, Trigger trigger);

/* Adds a Markdown list of the forms of moments: "- `cluster NAME steady`". */
void trigger_reference(Text *out);
#endif

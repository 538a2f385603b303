/* When a command is due, as text: "cluster nc6 steady", "job train completed + 5m". */
#ifndef SIM_SCENARIO_TRIGGER_READ_H
#define SIM_SCENARIO_TRIGGER_READ_H

#include "sim/base/status.h"
#include "sim/base/text.h"
#include "sim/core/command.h"

/* The trigger that `text` describes; its subject is in `arena`. */
MUST_CHECK bool trigger_read(Arena *arena, const char *text, Place at, Trigger *trigger,
                             Status *status);

/* The same text again: "at 15s", "after cluster nc6 steady + 5m". */
void trigger_print(Text *text, Trigger trigger);

/* Whether the subject of `moment` is a job; otherwise it is a cluster. Not for MOMENT_AT. */
bool trigger_is_job(Moment moment);

#endif

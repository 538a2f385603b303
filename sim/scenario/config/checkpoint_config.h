/* Checkpoints of programs that train a network or only take time, and of the jobs of a trace. */
#ifndef SIM_SCENARIO_CHECKPOINT_CONFIG_H
#define SIM_SCENARIO_CHECKPOINT_CONFIG_H

#include "sim/base/units.h"
#include "sim/scenario/config/config_context.h"

/* Checks the checkpoint of a program that does not only take time. Adds the problems. */
void checkpoint_check_training(Problems *problems, const CheckpointText *text);
/* The distance of the checkpoints of a network's training, whose `count` is 0; 1 epoch if none is
 * stated or it was refused. */
CheckpointEvery checkpoint_every_of(const CheckpointText *text);
/* Refuses `every` if it cannot be read, or has epochs where there are none; NULL: not given.
 * `expected` is what it should be. */
void checkpoint_check_every(Problems *problems, const Json *json, bool has_epochs,
                            const char *expected);
/* Reads `every` of a training's checkpoint: a whole number, or a text of checkpoint_every_parse.
 * False: it is not one of these, or 0. */
MUST_CHECK bool checkpoint_every_read(const Json *json, CheckpointEvery *every);
/* The whole steps, at least 1, that are nearest to a time. */
int64_t checkpoint_steps_of(int64_t ns, int64_t step_ns);

/* Reads the checkpoints of a program that only takes time into its `work` and `saves_on_notice`;
 * `text` NULL: it has none. Adds the problems; `program` then has no checkpoints. */
void checkpoint_read_work(Problems *problems, const CheckpointText *text, Program *program);

#endif

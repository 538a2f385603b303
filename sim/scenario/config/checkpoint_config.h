/* Checkpoints of programs that train a network or only take time, and of the jobs of a trace. */
#ifndef SIM_SCENARIO_CHECKPOINT_CONFIG_H
#define SIM_SCENARIO_CHECKPOINT_CONFIG_H

#include "sim/scenario/config/config_context.h"

/* Checks the checkpoint of a program that does not only take time. Adds the problems. */
void checkpoint_check_training(Problems *problems, const CheckpointText *text);
/* The epochs from one checkpoint to the next; 1 if none are stated or the number was refused. */
int64_t checkpoint_epochs(const CheckpointText *text);

/* Reads the checkpoints of a program that only takes time into its `work` and `saves_on_notice`;
 * `text` NULL: it has none. Adds the problems; `program` then has no checkpoints. */
void checkpoint_read_work(Problems *problems, const CheckpointText *text, Program *program);

#endif

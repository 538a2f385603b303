/* Programs that train transformers: the plan of a job from the scenario's "transformer". */
#ifndef SIM_SCENARIO_CONFIG_TRANSFORMER_CONFIG_H
#define SIM_SCENARIO_CONFIG_TRANSFORMER_CONFIG_H

#include "sim/scenario/config/program_config.h"

/* Adds the problems that need no job: the model, the software, the amount of work. */
void transformer_check(const ConfigContext *context, const TransformerText *text);

/* Plans the training for the job's nodes: the fastest layout that fits, the time of its step, the
 * bytes of its state and the steps between checkpoints. Fills in the members of `program` for them;
 * where the checkpoint is was filled in before. Adds a problem, and leaves `transformer` NULL,
 * where no such layout fits. The text is free of problems (transformer_check), and the shape is
 * known. */
void transformer_build(const ConfigContext *context, const TransformerText *text, JobShape shape,
                       Program *program);

#endif

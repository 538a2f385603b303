/* Measured trainings of transformers, and the model's times for them.
 *
 * A CSV file whose first line names the columns:
 *
 *     source        where the row was published
 *     software      a name of "transformer_software"; "" predicts it as of any software
 *     gpu           a name of "transformer_gpus"
 *     gpus, gpus_per_node
 *     fabric        a name of "transformer_fabrics"; "" on one node
 *     port_rate     of each GPU to other nodes: "400Gbit/s"; "" on one node
 *     model         a name for people
 *     layers hidden mlp gated heads kv_heads vocabulary sequence
 *     layout        as in layout.h, with mb and recompute
 *     global_batch  sequences of a step
 *     step_s        measured seconds of a step
 *     memory_gb     measured peak, in 10^9 bytes; "" if not known */
#ifndef SIM_SCENARIO_TRANSFORMER_MEASURED_H
#define SIM_SCENARIO_TRANSFORMER_MEASURED_H

#include "sim/model/transformer/search.h"
#include "sim/scenario/catalog/read.h"

typedef struct {
    const char *source;
    const char *software;
    const char *gpu;
    const char *model;
    int32_t line;
    TransformerJob job;
    TransformerMachine machine;
    TransformerLayout layout;
    double step_s;
    double memory_bytes; /* 0: not known */
    TransformerStep predicted;
    TransformerMemory memory; /* predicted */
} MeasuredTraining;

typedef struct {
    int32_t count;
    MeasuredTraining *items;
} MeasuredTrainings;

/* Reads and predicts all rows of the text. Rows live in `arena`. False, with all problems added,
 * when the text is not such a table. */
MUST_CHECK bool measured_trainings_read(Arena *arena, const Catalog *catalog, const char *source,
                                        const char *text, size_t length,
                                        MeasuredTrainings *trainings, Problems *problems);

#endif

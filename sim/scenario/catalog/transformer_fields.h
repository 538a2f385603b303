/* The sections of a catalogue that describe the training of transformers, as fields.h does for the
 * other sections. */
#ifndef SIM_SCENARIO_CATALOG_TRANSFORMER_FIELDS_H
#define SIM_SCENARIO_CATALOG_TRANSFORMER_FIELDS_H

#include "sim/model/transformer/machine.h"
#include "sim/scenario/catalog/transformer_shape.h"

/* An entry of "transformers". */
typedef struct {
    const char *name; /* "llama3-8b" */
    TransformerShape shape;
} CatalogTransformer;

extern const Field transformer_fields[], transformer_gpu_fields[], transformer_fabric_fields[],
    transformer_software_fields[], transformer_routing_fields[];

#endif

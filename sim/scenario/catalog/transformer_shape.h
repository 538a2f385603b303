/* The shape of a transformer from JSON: an entry of "transformers" in a catalogue, or a user's own
 * model file.
 *
 *     {
 *       "layers": 32, "hidden": 4096, "mlp": 14336, "gated": true, "heads": 32, "kv_heads": 8,
 *       "vocabulary": 128256, "sequence": 8192
 *     }
 *
 * A mixture of experts has "experts", {"count": 8, "per_token": 2}, and a model with multi-head
 * latent attention "latents".
 */
#ifndef SIM_SCENARIO_CATALOG_TRANSFORMER_SHAPE_H
#define SIM_SCENARIO_CATALOG_TRANSFORMER_SHAPE_H

#include "sim/json/json.h"
#include "sim/model/transformer/shape.h"
#include "sim/schema/field.h"

/* The members of the object. */
extern const ObjectType transformer_shape_type;

/* Fills `shape` from `json`. False, with all problems added to `problems`, when `json` is not the
 * shape of a transformer. */
MUST_CHECK bool transformer_shape_read(Arena *arena, const Json *json, TransformerShape *shape,
                                       Problems *problems);

/* The same for one value of a catalogue (CustomKind), into the CatalogTransformer itself. */
extern const CustomKind transformer_shape_kind;

#endif

/* Layouts as text: "tp=8,pp=2,fsdp", "best", "best,tp=8".
 *
 *     tp cp pp dp vpp    ranks of each dimension, and chunks of layers of a pipeline rank; those
 *                        that are not given are 1, and dp takes the remaining GPUs
 *     ep                 ranks that divide the routed experts of a layer; 1 if not given
 *     etp no-etp         whether tensor ranks divide each expert, as everything else, or each
 *                        expert is whole on one rank; etp if not given
 *     mb                 sequences of a micro batch
 *     ddp zero1 zero2 fsdp fsdp-kept    what data ranks divide; zero1 if not given
 *     recompute=none|selective|full
 *     bf16 fp8           bf16 if not given
 *     sp no-sp           sequence parallel, which is the default
 *     flash no-flash     as the software has it if not given
 *
 * mb and recompute are chosen, where they are not given: the fastest that fit. With "best" all
 * that is not given is chosen, but for the precision and the kind of attention. */
#ifndef SIM_SCENARIO_TRANSFORMER_LAYOUT_H
#define SIM_SCENARIO_TRANSFORMER_LAYOUT_H

#include "sim/base/piece.h"
#include "sim/model/transformer/search.h"

/* The space of the layouts that `text` describes. STATUS_BAD_INPUT with the place in `text` for an
 * unknown word, a number out of range, or the same choice twice. */
MUST_CHECK bool layout_space_read(Piece text, const TransformerJob *job,
                                  const TransformerMachine *machine, LayoutSpace *space,
                                  Status *status);

/* The layout as such a text with every choice that matters: "dp=4,tp=8,pp=2,fsdp,mb=1,...". In
 * `arena`. */
const char *layout_text(Arena *arena, const TransformerLayout *layout);

#endif

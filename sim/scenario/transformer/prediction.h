/* The training of a transformer on nodes of a VM size, from the catalogue alone
 * (sim/model/transformer). */
#ifndef SIM_SCENARIO_TRANSFORMER_PREDICTION_H
#define SIM_SCENARIO_TRANSFORMER_PREDICTION_H

#include "sim/model/transformer/search.h"
#include "sim/scenario/catalog/read.h"
#include "sim/scenario/catalog/wire.h"

typedef struct {
    const char *model; /* for people */
    TransformerShape shape;
    const char *vm_size;
    const char *software; /* a name of "transformer_software" */
    Wire wire;
    int32_t gpus; /* whole nodes, or part of one node */
    int64_t global_batch;
    const char *layout; /* layout.h */
    Place at;           /* of the request, and of its layout: for messages */
    Place layout_at;
} TransformerRequest;

typedef struct {
    const char *model;
    const VmSize *vm_size;
    TransformerJob job;
    TransformerMachine machine;
    int32_t nodes;
    LayoutSearch search; /* of the requested layout; ranked[0] is the prediction */
    bool fits;
    /* If the requested layout does not fit: the layout that fits and keeps the most of its choices,
     * and among these the fastest. */
    bool has_alternative;
    RankedLayout alternative;
} TransformerPrediction;

/* STATUS_BAD_INPUT for names that are not in the catalogue, GPUs that are not whole nodes, and
 * layouts that break a rule. A layout that needs too much memory is not a failure: `fits` is false,
 * and `search.least` has its memory. */
MUST_CHECK bool transformer_prediction_make(const Catalog *catalog,
                                            const TransformerRequest *request,
                                            TransformerPrediction *prediction, Status *status);

/* The same on the fewest nodes, all GPUs of each, on which the training on `tokens` takes at most
 * `days`; `gpus` of the request is ignored. Tried are 1 to 16 nodes, then numbers of four binary
 * digits followed by zeros (18, 20, ..., 32, 36, ...), which have layouts that divide them. Fails
 * with STATUS_BAD_INPUT when no number of nodes suffices. */
MUST_CHECK bool transformer_prediction_within(const Catalog *catalog,
                                              const TransformerRequest *request, double tokens,
                                              double days, TransformerPrediction *prediction,
                                              Status *status);

/* About 19 of 20 measured steps should be within a factor of 1 + the uncertainty of the predicted
 * one: twice the standard deviation. Its parts are independent: the software's (its "error" in the
 * catalogue), half of the exposed communication between nodes, and with experts the error of
 * networks without any measurement (the "error" of the routing). */
double transformer_uncertainty(const TransformerMachine *machine, const TransformerStep *step);

/* Days of a training on `tokens`. */
double transformer_days(const TransformerPrediction *prediction, double step_s, double tokens);

#endif

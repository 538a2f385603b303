/* The common parts of backends on the processor: arenas in main memory, input, update. The first
 * member of a model is a Host, and the backend's table contains these functions. */
#ifndef TRAINER_HOST_H
#define TRAINER_HOST_H

#include "trainer/compute/backend.h"

typedef struct {
    BackendSettings settings;
    float *arenas[3];       /* by ArenaKind: [net->parameter_count], aligned to 64 bytes */
    uint8_t *bytes;         /* [batch_max][32][32][3]: gathered */
    uint8_t *labels;        /* [batch_max] */
    float *input;           /* [batch_max][32][32][3]: augmented */
    float *probabilities;   /* [batch_max][class_count] */
    float *logits_gradient; /* [batch_max][class_count] */
    int32_t count;          /* images gathered */
    uint64_t step;
} Host;

void host_open(const BackendSettings *settings, Host *host);
void host_close(Host *host);

/* Functions of the table; `model` begins with a Host. */
float *host_arena(void *model, ArenaKind kind, Status *status); /* never NULL */
void host_arena_changed(void *model, ArenaKind kind);           /* does nothing */
void host_gather(void *model, const Batch *batch);
void host_augment(void *model, const Batch *batch);
bool host_update(void *model, const RmsProp *optimizer, float rate, float gradient_scale);
const float *host_probabilities(void *model);

/* Sets gradient[i] to 0 where out[i], an output of ReLU, is 0. A NaN in `out` keeps the gradient,
 * so that the divergence of a training is not hidden. */
void host_relu_backward(const float *out, int64_t count, float *gradient);

/* Finishes a forward: computes softmax of logits [count][class_count] and the score, and in
 * training the gradient of the logits in `logits_gradient`. */
Score host_finish_forward(Host *host, const float *logits, bool is_training);

#endif

#include "trainer/compute/host.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/invariant.h"
#include "sim/base/memory.h"
#include "trainer/base/floats.h"
#include "trainer/base/vectors.h"
#include "trainer/data/augment.h"

void host_open(const BackendSettings *settings, Host *host)
{
    const int64_t batch = settings->batch_max;
    const Net *net = settings->net;
    *host = (Host){.settings = *settings};
    for (int32_t i = 0; i < 3; i++)
        host->arenas[i] = floats_zeroed(net->parameter_count);
    host->bytes = memory_zeroed((size_t)batch * IMAGE_BYTES);
    host->labels = memory_zeroed((size_t)batch);
    host->input = floats_zeroed(batch * IMAGE_BYTES);
    host->probabilities = floats_zeroed(batch * net->class_count);
    host->logits_gradient = floats_zeroed(batch * net->class_count);
}

void host_close(Host *host)
{
    for (int32_t i = 0; i < 3; i++)
        free(host->arenas[i]);
    free(host->bytes);
    free(host->labels);
    free(host->input);
    free(host->probabilities);
    free(host->logits_gradient);
}

float *host_arena(void *model, ArenaKind kind, Status *status)
{
    (void)status;
    Host *host = model;
    return host->arenas[kind];
}

void host_arena_changed(void *model, ArenaKind kind)
{
    (void)model, (void)kind; // the backend uses the arena directly
}

void host_gather(void *model, const Batch *batch)
{
    Host *host = model;
    int64_t clock_ns = profile_clock_ns(host->settings.profile);
    invariant(batch->count >= 1 && batch->count <= host->settings.batch_max);
    host->count = batch->count;
    host->step = batch->step;
    for (int32_t i = 0; i < batch->count; i++) {
        int32_t index = batch->indices[i];
        memcpy(host->bytes + (size_t)i * IMAGE_BYTES,
               batch->set->images + (size_t)index * IMAGE_BYTES, IMAGE_BYTES);
        host->labels[i] = batch->set->labels[index];
    }
    profile_note(host->settings.profile, PROFILE_INPUT, &clock_ns);
}

void host_augment(void *model, const Batch *batch)
{
    Host *host = model;
    const BackendSettings *settings = &host->settings;
    int64_t clock_ns = profile_clock_ns(settings->profile);
    for (int32_t i = 0; i < host->count; i++) {
        const uint8_t *from = host->bytes + (size_t)i * IMAGE_BYTES;
        float *to = host->input + (size_t)i * IMAGE_BYTES;
        if (batch->is_augmented)
            augment_image(
                from, augmentation_draw(settings->seed, settings->rank, batch->step, (uint32_t)i),
                to);
        else
            plain_image(from, to);
    }
    profile_note(settings->profile, PROFILE_INPUT, &clock_ns);
}

bool host_update(void *model, const RmsProp *optimizer, float rate, float gradient_scale)
{
    Host *host = model;
    int64_t clock_ns = profile_clock_ns(host->settings.profile);
    const bool is_finite =
        rmsprop_update(optimizer, rate, gradient_scale, host->settings.net->parameter_count,
                       host->arenas[ARENA_GRADIENTS], host->arenas[ARENA_ACCUMULATORS],
                       host->arenas[ARENA_WEIGHTS]);
    profile_note(host->settings.profile, PROFILE_UPDATE, &clock_ns);
    return is_finite;
}

VECTORISED
static void host_relu_loop(const float *restrict out, int64_t count, float *restrict gradient)
{
    for (int64_t i = 0; i < count; i++)
        gradient[i] = out[i] == 0.0f ? 0.0f : gradient[i];
}

void host_relu_backward(const float *out, int64_t count, float *gradient)
{
    host_relu_loop(out, count, gradient);
}

const float *host_probabilities(void *model)
{
    return ((Host *)model)->probabilities;
}

Score host_finish_forward(Host *host, const float *logits, bool is_training)
{
    const int32_t classes = host->settings.net->class_count;
    int64_t clock_ns = profile_clock_ns(host->settings.profile);
    softmax(logits, host->count, classes, host->probabilities);
    if (is_training)
        loss_gradient(host->probabilities, host->labels, host->count, classes,
                      host->logits_gradient);
    const Score score = score_of(host->probabilities, host->labels, host->count, classes);
    profile_note(host->settings.profile, PROFILE_LOSS, &clock_ns);
    return score;
}

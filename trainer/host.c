#define _GNU_SOURCE // MADV_HUGEPAGE is Linux's
#include "trainer/host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/base/invariant.h"
#include "sim/base/memory.h"
#include "trainer/augment.h"
#include "trainer/timeline.h"

/* Large arrays ask for large pages: with small ones, looking up addresses takes a noticeable part
 * of a pass over an arena, the more so on virtual machines. Where there are none it is no loss. */
float *host_floats(int64_t count)
{
    enum { LINE = 64, LARGE_PAGE = 2 << 20 };
    const size_t wanted = (size_t)count * sizeof(float);
    const size_t alignment = wanted >= LARGE_PAGE ? LARGE_PAGE : LINE;
    const size_t bytes = (wanted + alignment - 1) / alignment * alignment;
    float *floats = aligned_alloc(alignment, bytes);
    if (!floats)
        memory_exhausted();
    if (alignment == LARGE_PAGE)
        (void)madvise(floats, bytes, MADV_HUGEPAGE);
    memset(floats, 0, bytes);
    return floats;
}

void host_open(const BackendSettings *settings, Host *host)
{
    const int64_t batch = settings->batch_max;
    const Net *net = settings->net;
    *host = (Host){.settings = *settings};
    for (int32_t i = 0; i < 3; i++)
        host->arenas[i] = host_floats(net->parameter_count);
    host->bytes = memory_zeroed((size_t)batch * IMAGE_BYTES);
    host->labels = memory_zeroed((size_t)batch);
    host->input = host_floats(batch * IMAGE_BYTES);
    host->probabilities = host_floats(batch * net->class_count);
    host->logits_gradient = host_floats(batch * net->class_count);
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
    (void)model, (void)kind; // the arena is what is computed with
}

void host_gather(void *model, const Batch *batch)
{
    Host *host = model;
    invariant(batch->count >= 1 && batch->count <= host->settings.batch_max);
    host->count = batch->count;
    host->step = batch->step;
    for (int32_t i = 0; i < batch->count; i++) {
        int32_t index = batch->indices[i];
        memcpy(host->bytes + (size_t)i * IMAGE_BYTES,
               batch->set->images + (size_t)index * IMAGE_BYTES, IMAGE_BYTES);
        host->labels[i] = batch->set->labels[index];
    }
}

void host_augment(void *model, const Batch *batch)
{
    Host *host = model;
    const BackendSettings *settings = &host->settings;
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
}

bool host_update(void *model, const RmsProp *optimizer, float rate, float gradient_scale)
{
    Host *host = model;
    return rmsprop_update(optimizer, rate, gradient_scale, host->settings.net->parameter_count,
                          host->arenas[ARENA_GRADIENTS], host->arenas[ARENA_ACCUMULATORS],
                          host->arenas[ARENA_WEIGHTS]);
}

const float *host_probabilities(void *model)
{
    return ((Host *)model)->probabilities;
}

Score host_finish_forward(Host *host, const float *logits, bool is_training)
{
    const int32_t classes = host->settings.net->class_count;
    softmax(logits, host->count, classes, host->probabilities);
    if (is_training)
        loss_gradient(host->probabilities, host->labels, host->count, classes,
                      host->logits_gradient);
    return score_of(host->probabilities, host->labels, host->count, classes);
}

/* --- Times of layers --- */

int64_t host_clock_ns(const Host *host)
{
    return host->settings.times ? timeline_clock_ns() : 0;
}

static void note_time(int64_t *sum_ns, int64_t *clock_ns)
{
    const int64_t now_ns = timeline_clock_ns();
    *sum_ns += now_ns - *clock_ns;
    *clock_ns = now_ns;
}

void host_note_forward(const Host *host, int32_t layer, int64_t *clock_ns)
{
    if (host->settings.times)
        note_time(&host->settings.times->forward_ns[layer], clock_ns);
}

void host_note_backward(const Host *host, int32_t layer, int64_t *clock_ns)
{
    if (host->settings.times)
        note_time(&host->settings.times->backward_ns[layer], clock_ns);
}

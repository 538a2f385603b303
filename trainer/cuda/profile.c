/* Private to trainer/cuda: the stages of a step, measured by the GPU's clock. An event follows each
 * stage; if a step is a graph, events are nodes of the graph. An anchor event relates the GPU's
 * clock to the processor's: the processor waits for it and reads its clock right afterwards. */
#include "sim/base/invariant.h"
#include "sim/cli/machine_clock.h"
#include "trainer/cuda/model.h"

static const char *const doing = "reading the clock";

cudaError_t cuda_profile_open(CudaModel *model)
{
    CudaProfile *profile = &model->profile;
    cudaError_t result = cudaSuccess;
    if (!model->settings.profile)
        return result;
    result = cudaEventCreate(&profile->anchor);
    for (int32_t i = 0; i < CUDA_MARKS_MAX && result == cudaSuccess; i++)
        result = cudaEventCreate(&profile->events[i]);
    return result;
}

void cuda_profile_close(CudaModel *model)
{
    CudaProfile *profile = &model->profile;
    if (profile->anchor)
        (void)cudaEventDestroy(profile->anchor);
    for (int32_t i = 0; i < CUDA_MARKS_MAX; i++)
        if (profile->events[i])
            (void)cudaEventDestroy(profile->events[i]);
}

void cuda_profile_begin(CudaModel *model)
{
    CudaProfile *profile = &model->profile;
    profile->is_marking = profile_is_on(model->settings.profile);
    if (!profile->is_marking)
        return;
    cuda_note(model, cudaEventRecord(profile->anchor, model->stream), doing);
    cuda_note(model, cudaEventSynchronize(profile->anchor), doing);
    profile->anchor_ns = machine_clock_ns();
}

void cuda_profile_mark(CudaModel *model, int32_t stage)
{
    CudaProfile *profile = &model->profile;
    CudaMarks *marks = &profile->marks;
    if (!profile->is_marking)
        return;
    if (stage == PROFILE_NONE)
        marks->count = 0;
    invariant(marks->count < CUDA_MARKS_MAX);
    marks->stages[marks->count] = stage;
    cuda_note(
        model,
        cuda_event_record(profile->events[marks->count++], model->stream, profile->is_capturing),
        doing);
}

static int64_t ns_since_anchor(CudaModel *model, cudaEvent_t event)
{
    float took_ms = 0.0f;
    cuda_note(model, cudaEventElapsedTime(&took_ms, model->profile.anchor, event), doing);
    return (int64_t)((double)took_ms * 1e6);
}

/* The processor learns of an event after it has happened. Its clock reading at the anchor is
 * therefore not earlier than the anchor, and the same holds for the reading after the last mark.
 * The earlier of the two estimates of the anchor's time is closer, and no stage then ends in the
 * future. */
void cuda_profile_take(CudaModel *model)
{
    const CudaProfile *profile = &model->profile;
    const CudaMarks *marks = &profile->marks;
    const int64_t now_ns = machine_clock_ns();
    int64_t at_ns[CUDA_MARKS_MAX];
    if (!profile->is_marking || model->has_failed)
        return;
    for (int32_t i = 0; i < marks->count; i++)
        at_ns[i] = ns_since_anchor(model, profile->events[i]);
    const int64_t by_end_ns = now_ns - at_ns[marks->count - 1];
    const int64_t zero_ns = by_end_ns < profile->anchor_ns ? by_end_ns : profile->anchor_ns;
    profile_measured_by(model->settings.profile, "GPU", profile->way);
    for (int32_t i = 1; i < marks->count; i++)
        profile_add(model->settings.profile, marks->stages[i], zero_ns + at_ns[i - 1],
                    zero_ns + at_ns[i]);
}

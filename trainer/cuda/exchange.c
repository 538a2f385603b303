/* Private to trainer/cuda: sums of gradients over ranks, in two parts. */
#include "trainer/cuda/model.h"

int64_t cuda_exchange_first(const Net *net)
{
    int64_t first = 0, largest = 0;
    for (int32_t i = 0; i < net->layer_count; i++)
        if (net->layers[i].kernel_count > largest) {
            largest = net->layers[i].kernel_count;
            first = net->layers[i].kernel_at;
        }
    return first;
}

/* Queues the sum of gradients [first, end) on the exchange stream, after the gradients of weights
 * that are queued. */
static bool sum(CudaModel *model, Comm *comm, int64_t first, int64_t end, Status *status)
{
    const char *doing = "summing gradients";
    cuda_stream_waits(model, model->exchange_stream, model->begun, model->weights_stream, doing);
    return cuda_is_fine(model, status) &&
           comm_sum_on_gpu(comm, model->arenas[ARENA_GRADIENTS] + first, end - first,
                           model->exchange_stream, status);
}

bool cuda_exchange_early(CudaModel *model, Comm *comm, Status *status)
{
    const Net *net = model->settings.net;
    return sum(model, comm, cuda_exchange_first(net), net->parameter_count, status);
}

bool cuda_exchange_rest(CudaModel *model, Comm *comm, Status *status)
{
    const char *doing = "summing gradients";
    const int64_t end = cuda_exchange_first(model->settings.net);
    if (end > 0 && !sum(model, comm, 0, end, status))
        return false;
    cuda_stream_waits(model, model->stream, model->summed, model->exchange_stream, doing);
    return cuda_is_fine(model, status);
}

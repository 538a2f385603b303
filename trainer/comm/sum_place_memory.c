/* Private to trainer/comm: values in memory, summed by comm_sum. */
#include "trainer/comm/sum_place.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/memory.h"
#include "trainer/base/floats.h"

typedef struct {
    Comm *comm;
    const float *input;
    float *output;
} Memory;

static bool memory_open(Comm *comm, const float *input, int64_t count, void **state, Status *status)
{
    (void)status;
    Memory *memory = memory_zeroed(sizeof *memory);
    *memory = (Memory){.comm = comm, .input = input, .output = floats_zeroed(count)};
    *state = memory;
    return true;
}

static void memory_close(void *state)
{
    Memory *memory = state;
    free(memory->output);
    free(memory);
}

static bool memory_copy(void *state, int64_t count, Status *status)
{
    const Memory *memory = state;
    (void)status;
    memcpy(memory->output, memory->input, (size_t)count * sizeof *memory->output);
    return true;
}

static bool memory_sum(void *state, int64_t count, Status *status)
{
    const Memory *memory = state;
    return comm_sum(memory->comm, memory->output, count, status);
}

static bool memory_wait(void *state, Status *status)
{
    (void)state, (void)status;
    return true;
}

static const float *memory_fetch(void *state, int64_t count, Status *status)
{
    const Memory *memory = state;
    (void)count, (void)status;
    return memory->output;
}

const SumPlace sum_place_memory = {
    .open = memory_open,
    .close = memory_close,
    .copy = memory_copy,
    .sum = memory_sum,
    .wait = memory_wait,
    .fetch = memory_fetch,
};

#include "trainer/run/checkpoint_writer.h"

#include <signal.h>

#include "sim/base/invariant.h"

static bool get_arenas(const Trainer *trainer, const float **weights, const float **accumulators,
                       Status *status)
{
    const Backend *backend = trainer->backend;
    if (backend->copy_begin)
        return backend->copy_end(trainer->model, weights, accumulators, status);
    *weights = backend->arena(trainer->model, ARENA_WEIGHTS, status);
    *accumulators = *weights ? backend->arena(trainer->model, ARENA_ACCUMULATORS, status) : NULL;
    return *accumulators != NULL;
}

static void write_file(CheckpointWriter *writer)
{
    const Trainer *trainer = writer->trainer;
    const float *weights, *accumulators;
    writer->is_written =
        get_arenas(trainer, &weights, &accumulators, &writer->status) &&
        checkpoint_write(writer->path, trainer->net, &writer->optimizer, &writer->state, weights,
                         accumulators, &writer->bytes, &writer->status);
    atomic_store(&writer->is_over, true);
}

static void *write_in_thread(void *writer)
{
    write_file(writer);
    return NULL;
}

/* Signals are left to the thread that trains. False if the system has no thread to give. */
static bool start_thread(CheckpointWriter *writer)
{
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return false;
    const bool is_started = pthread_create(&writer->thread, NULL, write_in_thread, writer) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

bool checkpoint_writer_begin(CheckpointWriter *writer, const Trainer *trainer,
                             const TrainingState *state, const char *path, Status *status)
{
    const Backend *backend = trainer->backend;
    invariant(!writer->trainer);
    if (backend->copy_begin && !backend->copy_begin(trainer->model, status))
        return false;
    writer->trainer = trainer;
    writer->path = path;
    writer->optimizer = trainer->optimizer;
    writer->state = *state;
    writer->status = (Status){0};
    atomic_store(&writer->is_over, false);
    writer->has_thread = backend->copy_begin && start_thread(writer);
    if (!writer->has_thread)
        write_file(writer);
    return true;
}

bool checkpoint_writer_is_busy(const CheckpointWriter *writer)
{
    return writer->trainer != NULL;
}

bool checkpoint_writer_is_over(const CheckpointWriter *writer)
{
    return writer->trainer && atomic_load(&writer->is_over);
}

bool checkpoint_writer_end(CheckpointWriter *writer, int64_t *bytes, Status *status)
{
    invariant(writer->trainer);
    if (writer->has_thread)
        (void)pthread_join(writer->thread, NULL);
    writer->trainer = NULL;
    *bytes = writer->bytes;
    if (!writer->is_written)
        *status = writer->status;
    return writer->is_written;
}

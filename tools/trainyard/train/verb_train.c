/* `trainyard train`: options, communication, training, exit code. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/cli/program.h"
#include "sim/cli/report.h"
#include "tools/trainyard/train/train_options.h"
#include "trainer/comm/comm_words.h"
#include "trainer/run/signals.h"
#include "trainer/run/training.h"

static void print_interrupted(int signal)
{
    char message[SIGNALS_ROOM];
    fwrite(message, 1, signals_message(signal, message), stderr);
}

static int exit_code_of_end(const TrainingResult *result, const Status *status)
{
    switch (result->end) {
    case TRAINING_DONE:
        return EXIT_FINE;
    case TRAINING_DIVERGED:
        return EXIT_NO;
    case TRAINING_INTERRUPTED:
        return signals_exit_code(result->signal);
    case TRAINING_FAILED:
    case TRAINING_FAILED_ALONE:
        break;
    }
    return exit_code_of(status->code);
}

/* Prints the summary or the error; returns the exit code. */
static int report_result(const TrainingResult *result, bool is_first_rank, const Status *status)
{
    if (result->end == TRAINING_INTERRUPTED && is_first_rank)
        print_interrupted(result->signal);
    else if (result->end != TRAINING_DONE && status->message[0])
        report_status(status);
    fputs(text_string(&result->summary), stdout);
    return exit_code_of_end(result, status);
}

/* HOROVOD_TIMELINE=FILE requests a timeline, as in Horovod. */
static const char *horovod_timeline(TrainingSettings *options)
{
    const char *path = getenv("HOROVOD_TIMELINE");
    if (!path || !*path)
        return NULL;
    options->has_timeline = true;
    return path;
}

static int train(TrainingSettings *options, Arena *arena)
{
    Status status = {0};
    TrainingResult result = {0};
    Comm *comm;
    const char *chrome_path = horovod_timeline(options);
    if (!comm_open(comm_words[options->comm], arena, &comm, &status))
        return report_status(&status);
    const int32_t ranks = comm_size(comm);
    signals_watch(ranks, comm_rank(comm) == 0);
    if (training_run(options, chrome_path, comm, arena, &result, &status))
        result.end = TRAINING_DONE;
    signals_forget(); // mpirun ends the other ranks when the first one leaves with a failure
    const int exit_code = report_result(&result, comm_rank(comm) == 0, &status);
    text_free(&result.summary);
    if (result.end == TRAINING_FAILED_ALONE && ranks > 1)
        comm_abort(comm, exit_code);
    comm_close(comm);
    return exit_code;
}

int program_run(int argc, char **argv)
{
    Arena *arena = arena_create();
    TrainingSettings options = train_option_defaults;
    Operands operands;
    int exit_code;
    if (options_read(&train_option_table, arena, argc, argv, &options, &operands, &exit_code))
        exit_code = train(&options, arena);
    arena_destroy(arena);
    return exit_code;
}

#include "trainer/run/training.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cli/machine_clock.h"
#include "sim/cli/report.h"
#include "trainer/record/checkpoint_name.h"
#include "trainer/run/signals.h"
#include "trainer/run/step_span.h"
#include "trainer/run/timeline_gather.h"
#include "trainer/run/training_open.h"
#include "trainer/run/training_summary.h"

static const Place here = {.source = "trainyard: train"};

static double seconds_since(int64_t begin_ns)
{
    return (double)(machine_clock_ns() - begin_ns) * 1e-9;
}

/* --- Endings --- */

/* Waits for the checkpoint that is being written, if there is one, and records it as the last. */
static bool settle_checkpoint(Training *training, Status *status)
{
    const Writing *writing = &training->writing;
    int64_t bytes;
    if (!checkpoint_writer_is_busy(&training->writer))
        return true;
    if (!checkpoint_writer_end(&training->writer, &bytes, status))
        return false;
    timeline_add(training->trainer.timeline, PHASE_CHECKPOINT, writing->step, writing->begin_ns,
                 writing->end_ns, bytes);
    training->checkpoint = writing->path;
    training->checkpoint_bytes = bytes;
    signals_note_checkpoint(writing->path);
    return true;
}

/* The same before another failure is reported. */
static void settle_quietly(Training *training)
{
    Status second;
    const bool is_settled = settle_checkpoint(training, &second);
    (void)is_settled; // if not, it is not the last one
}

/* A signal ends the training on all ranks. The caller of training_run reports it. */
static bool end_interrupted(Training *training, Status *status)
{
    settle_quietly(training);
    training->end = TRAINING_INTERRUPTED;
    *status = (Status){.code = STATUS_MACHINE, .at = here};
    return false;
}

/* Called on all ranks; only rank 0 keeps the message. */
static bool end_diverged(Training *training, Status *status)
{
    settle_quietly(training);
    training->end = TRAINING_DIVERGED;
    status_hint(status, "a lower --learning-rate%s; %s%s",
                training->options->precision == PRECISION_FP32 ? "" : ", or --precision fp32",
                training->checkpoint ? "the last good checkpoint is "
                                     : "there is no checkpoint yet",
                training->checkpoint ? training->checkpoint : "");
    if (training->rank > 0)
        *status = (Status){.code = status->code, .at = here};
    return false;
}

/* Adds a hint that names the last checkpoint after a failure of a disk or a GPU. Only rank 0 has
 * the path of the checkpoint.
 */
static bool hint_checkpoint(Training *training, Status *status)
{
    settle_quietly(training);
    if (training->checkpoint && status->hint[0] == '\0')
        status_hint(status, "the last good checkpoint is %s; --resume continues with it",
                    training->checkpoint);
    return false;
}

static void warn_late_ranks(void *listener, int64_t waited_ns, const int32_t *late,
                            int32_t late_count)
{
    const Training *training = listener;
    Problems warnings = problems_create(training->arena);
    Text ranks = {0}, waited = {0};
    for (int32_t i = 0; i < late_count; i++)
        text_printf(&ranks, "%s%" PRId32, i > 0 ? ", " : "", late[i]);
    duration_print(&waited, waited_ns);
    problems_add(&warnings, STATUS_MACHINE, here,
                 "rank%s %s of %" PRId32 " %s late: step %" PRId64 " has waited for %s",
                 plural(late_count), text_string(&ranks), training->ranks,
                 late_count > 1 ? "are" : "is", training->state.iteration, text_string(&waited));
    report_warnings(&warnings);
    text_free(&ranks);
    text_free(&waited);
}

/* --- Evaluation --- */

/* Evaluates this rank's part of the test set, a few batches at a time. The last evaluation has a
 * bar, and a signal ends it at once: the model is saved. */
static bool evaluate_part(Training *training, bool is_last, Score *score, Status *status)
{
    const int64_t images = training->data.test.count;
    const int64_t first = images * training->rank / training->ranks;
    const int64_t end = images * (training->rank + 1) / training->ranks;
    const int32_t batch = (int32_t)training->options->batch_size;
    const int32_t at_once = trainer_evaluates_at_once(&training->trainer, batch);
    *score = (Score){0};
    for (int64_t at = first, count; at < end; at += count) {
        Score more;
        count = end - at < at_once ? end - at : at_once;
        if (!trainer_evaluate(&training->trainer, &training->data.test, (int32_t)at, (int32_t)count,
                              batch, &more, status))
            return false;
        score_add(score, more);
        if (is_last && training->ranks == 1 && signals_received()) {
            training->signal = signals_received();
            return end_interrupted(training, status);
        }
        if (is_last) // assumes that the other ranks are about as far
            training_report_evaluated(&training->report,
                                      images * (at + count - first) / (end - first), images);
    }
    return true;
}

/* Sums a score over all ranks. */
static bool sum_score(Training *training, Score *score, Status *status)
{
    double sums[] = {score->loss_sum, (double)score->correct, (double)score->images};
    if (!comm_sum_doubles(training->trainer.comm, sums, 3, status))
        return false;
    *score = (Score){sums[0], (int64_t)sums[1], (int64_t)sums[2]};
    return true;
}

static bool evaluate(Training *training, bool is_last, Score *score, Status *status)
{
    const int64_t begin_ns = machine_clock_ns();
    if (!evaluate_part(training, is_last, score, status))
        return false;
    timeline_add(training->trainer.timeline, PHASE_EVALUATE, training->state.iteration - 1,
                 begin_ns, machine_clock_ns(), score->images * IMAGE_BYTES);
    // comm_ready reports ranks that are late, as in a step.
    if (!comm_ready(training->trainer.comm, training->state.iteration, NULL, status) ||
        !sum_score(training, score, status))
        return false;
    if (isfinite(score->loss_sum))
        return true;
    status_fail(status, STATUS_MACHINE, here,
                "the loss of the test set is not a number after step %" PRId64,
                training->state.iteration);
    return end_diverged(training, status);
}

/* --- Epochs --- */

static bool is_profiled(const Training *training, int64_t step)
{
    return training->trainer.profile && step_is_profiled(step);
}

/* --fail-rank, --fail-step: ends the rank like a lost node, without a message or cleaning up. */
static void fail_on_purpose(const Training *training)
{
    const TrainingSettings *options = training->options;
    if (options->fail_rank == training->rank && options->fail_notice_ns == 0 &&
        options->fail_step == training->state.iteration)
        raise(SIGKILL);
}

/* The steps of the epoch from `step` on that may be made at once. */
static StepRun run_from(const Training *training, int64_t step)
{
    const StepSpan span = {.steps = training->plan.steps,
                           .has_profile = training->trainer.profile != NULL,
                           .checkpoint_every = training->every.steps,
                           .fail_step = training->options->fail_step};
    return (StepRun){.set = &training->data.train,
                     .epoch = (uint64_t)training->state.epoch,
                     .first = step,
                     .count = step_span_end(&span, training->state.iteration, step) - step,
                     .batch_size = (int32_t)training->options->batch_size,
                     .step = (uint64_t)training->state.iteration,
                     .is_augmented = training->options->is_augmented};
}

/* Reports a checkpoint that could not be written while steps were made. With several ranks, the end
 * of the epoch does so, on which all of them agree. */
static bool check_checkpoint(Training *training, Status *status)
{
    if (training->ranks > 1 || !checkpoint_writer_is_over(&training->writer))
        return true;
    const bool is_kept = settle_checkpoint(training, status) || hint_checkpoint(training, status);
    return training_agree(training, is_kept, status);
}

/* --- Checkpoints --- */

/* The request of a rank after a step. A loss asks for no checkpoint: whether the other ranks still
 * ended it would depend on how soon they die too. */
enum { REQUEST_NONE, REQUEST_LOSS, REQUEST_SAVE, REQUEST_OF_SIGNAL }; // the last plus its number

/* --fail-notice: rank 0 begins its time when the step has ended. */
static bool is_noticed(Training *training)
{
    const TrainingSettings *options = training->options;
    if (options->fail_notice_ns == 0 || training->notice_ns > 0 ||
        training->state.iteration != options->fail_step)
        return false;
    training->notice_ns = machine_clock_ns();
    return true;
}

static int64_t request_by_clock(Training *training)
{
    const int64_t every_ns = training->every.ns, notice_ns = training->notice_ns;
    if (notice_ns > 0 && machine_clock_ns() - notice_ns >= training->options->fail_notice_ns)
        return REQUEST_LOSS;
    const bool is_time = every_ns > 0 && training->unsaved_ns >= every_ns;
    return is_noticed(training) || is_time ? REQUEST_SAVE : REQUEST_NONE;
}

/* The time of --fail-notice is over. Rank 0 shows the last step, so that the steps that are lost
 * are known. */
static void fail_after_notice(Training *training)
{
    training_report_now(&training->report);
    if (training->options->fail_rank == training->rank)
        raise(SIGKILL);
}

/* Makes all ranks know of a signal to one of them, or that a checkpoint is due by rank 0's
 * clock. */
static bool agree_on_save(Training *training, Status *status)
{
    int64_t request = signals_received() ? REQUEST_OF_SIGNAL + signals_received() : REQUEST_NONE;
    if (training->rank == 0 && request == REQUEST_NONE)
        request = request_by_clock(training);
    request = -request; // the highest one counts
    if (training->ranks > 1 && !comm_min(training->trainer.comm, &request, status))
        return false;
    request = -request;
    training->is_save_due |= request >= REQUEST_SAVE;
    if (request > REQUEST_OF_SIGNAL)
        training->signal = (int)(request - REQUEST_OF_SIGNAL);
    if (request == REQUEST_LOSS)
        fail_after_notice(training);
    return true;
}

/* Whether a checkpoint follows the present point. */
static bool checkpoint_is_due(const Training *training)
{
    const TrainingState *state = &training->state;
    const CheckpointEvery *every = &training->every;
    return training->is_save_due ||
           (every->epochs > 0 && state->step == 0 && state->epoch % every->epochs == 0) ||
           (every->steps > 0 && state->iteration % every->steps == 0);
}

/* Begins a checkpoint, and ends it unless the backend makes steps meanwhile. */
static bool write_checkpoint(Training *training, const char *path, Status *status)
{
    const Trainer *trainer = &training->trainer;
    Writing *writing = &training->writing;
    const bool is_awaited = !trainer->backend->copy_begin || training->signal != 0;
    if (!settle_checkpoint(training, status))
        return false;
    *writing = (Writing){path, training->state.iteration - 1, machine_clock_ns(), 0};
    const bool is_begun =
        checkpoint_writer_begin(&training->writer, trainer, &training->state, path, status);
    writing->end_ns = machine_clock_ns();
    return is_begun && (!is_awaited || settle_checkpoint(training, status));
}

static const char *path_of_point(const Training *training)
{
    return checkpoint_path(training->arena, training->log_folder,
                           (CheckpointPoint){training->state.epoch, training->state.step});
}

/* On rank 0. The files of an earlier training are replaced from here on: its history is that of a
 * training that came further. */
static bool keep_step(Training *training, Status *status)
{
    const CheckpointPoint next = {training->state.epoch, training->state.step + 1};
    const char *path = path_of_point(training);
    if (!write_checkpoint(training, path, status) ||
        (!training->has_settled && !history_settle(training->history, status)))
        return hint_checkpoint(training, status);
    if (!training->has_settled)
        checkpoint_remove_from(training->arena, training->log_folder, next);
    training->has_settled = true;
    training_report_saved(&training->report, path,
                          training->checkpoint == path ? training->checkpoint_bytes : 0);
    return true;
}

/* A checkpoint within an epoch; `score` is this rank's of the epoch so far. */
static bool save_step(Training *training, const Score *score, Status *status)
{
    // A checkpoint that is being written reads the scores at its step.
    bool is_kept = settle_checkpoint(training, status) || hint_checkpoint(training, status);
    if (!training_agree(training, is_kept, status) ||
        !comm_gather(training->trainer.comm, score, sizeof *score,
                     training->rank == 0 ? training->scores : NULL, status))
        return false;
    training->state.scores = training->scores;
    training->state.epoch_steps = training->plan.steps;
    is_kept = training->rank > 0 || keep_step(training, status);
    training->is_save_due = false;
    training->unsaved_ns = 0;
    return training_agree(training, is_kept, status);
}

/* --- An epoch --- */

/* After steps that are not the last of their epoch: writes a checkpoint if one is due. */
static bool between_steps(Training *training, const Score *score, Status *status)
{
    if (checkpoint_is_due(training) && !save_step(training, score, status))
        return false;
    return training->signal == 0 || end_interrupted(training, status);
}

/* Trains one epoch, or the rest of it; `score` is this rank's of the whole epoch. */
static bool train_epoch(Training *training, Score *score, Status *status)
{
    Trainer *trainer = &training->trainer;
    TrainingState *state = &training->state;
    *score = state->step > 0 ? training->scores[training->rank] : (Score){0};
    training_report_epoch(&training->report, state->epoch + 1);
    while (state->step < training->plan.steps) {
        fail_on_purpose(training);
        const StepRun run = run_from(training, state->step);
        const int64_t begin_ns = machine_clock_ns();
        Score more;
        int64_t done;
        trainer->is_profiled = is_profiled(training, state->step);
        signals_note_step(state->epoch + 1, state->step + 1);
        if (!trainer_steps(trainer, &run, &done, &more, status))
            return trainer->has_diverged ? end_diverged(training, status)
                                         : hint_checkpoint(training, status);
        training->unsaved_ns += machine_clock_ns() - begin_ns;
        state->iteration += done;
        state->step += done;
        score_add(score, more);
        signals_note_step(state->epoch + 1, state->step);
        training_report_step(&training->report, state->step, score);
        if (!agree_on_save(training, status) || !check_checkpoint(training, status) ||
            (state->step < training->plan.steps && !between_steps(training, score, status)))
            return false;
    }
    state->epoch++;
    state->step = 0;
    return true;
}

/* Writes history row, events and checkpoint of an epoch; on rank 0. The row comes first, because a
 * checkpoint without a row belongs to an earlier training. So do checkpoints that are there before
 * the row. Reports an earlier checkpoint that could not be written, also if no checkpoint follows
 * this epoch. */
static bool keep_epoch(Training *training, const EpochRecord *record, Status *status)
{
    const char *path = checkpoint_is_due(training) ? path_of_point(training) : NULL;
    if (checkpoint_writer_is_over(&training->writer) && !settle_checkpoint(training, status))
        return hint_checkpoint(training, status);
    checkpoint_remove_from(training->arena, training->log_folder,
                           (CheckpointPoint){record->epoch, 0});
    if (!history_add(training->history, record, status) ||
        !tensorboard_add(training->board, tensorboard_clock_s(), record, status) ||
        (path && !write_checkpoint(training, path, status)))
        return hint_checkpoint(training, status);
    training->has_settled = true;
    training->records[training->record_count++] = *record;
    training_report_checkpoint(&training->report, record->images_per_s, path,
                               path && training->checkpoint == path ? training->checkpoint_bytes
                                                                    : 0);
    return true;
}

static EpochRecord record_of(const Training *training, const Score *train, const Score *test,
                             double train_s)
{
    const double images = (double)train->images;
    return (EpochRecord){
        .epoch = training->state.epoch,
        .loss = train->loss_sum / images,
        .acc = (double)train->correct / images,
        .val_loss = test->loss_sum / (double)test->images,
        .val_acc = (double)test->correct / (double)test->images,
        .learning_rate =
            (double)rmsprop_rate(&training->trainer.optimizer, training->state.iteration - 1),
        .images_per_s = images / train_s,
    };
}

static bool run_epoch(Training *training, Status *status)
{
    const int64_t begin_ns = machine_clock_ns();
    const int64_t steps = training->plan.steps, made = steps - training->state.step;
    Score own, test;
    if (!train_epoch(training, &own, status))
        return false;
    const double train_s = seconds_since(begin_ns);
    Score all = own;
    if (!evaluate(training, false, &test, status) || !sum_score(training, &all, status))
        return false;
    training_report_epoch_end(&training->report, &own, &test);
    if (!agree_on_save(training, status))
        return false;
    // Of an epoch that was resumed only the steps since then were timed.
    EpochRecord record = record_of(training, &all, &test, train_s * (double)steps / (double)made);
    record.seconds = seconds_since(begin_ns);
    bool is_kept = training->rank > 0 || keep_epoch(training, &record, status);
    if (!training_agree(training, is_kept, status))
        return false;
    if (checkpoint_is_due(training))
        training->unsaved_ns = 0;
    training->is_save_due = false;
    return training->signal == 0 || end_interrupted(training, status);
}

/* --- The end --- */

/* On rank 0. */
static bool write_model(Training *training, const char *path, Status *status)
{
    int64_t bytes;
    return settle_checkpoint(training, status) &&
           checkpoint_writer_begin(&training->writer, &training->trainer, &training->state, path,
                                   status) &&
           checkpoint_writer_end(&training->writer, &bytes, status);
}

static bool save_model(Training *training, const char *path, Status *status)
{
    bool is_saved = training->rank > 0 || write_model(training, path, status) ||
                    hint_checkpoint(training, status);
    if (!training_agree(training, is_saved, status))
        return false;
    training_report_model(&training->report, path);
    return true;
}

static bool finish(Training *training, TrainingResult *result, Status *status)
{
    const char *path =
        arena_printf(training->arena, "%s/keras_cifar10_trained_model.h5", training->model_folder);
    Score test;
    if (!save_model(training, path, status))
        return false;
    training_report_evaluation(&training->report);
    if (!evaluate(training, true, &test, status))
        return false;
    training_report_scores(&training->report, &test);
    if (training->trainer.profile)
        training_report_profile(&training->report, training->trainer.profile);
    if (training->options->is_json && training->rank == 0)
        training_summary(training, path, &test, &result->summary);
    return true;
}

static bool train(Training *training, TrainingResult *result, Status *status)
{
    while (training->state.epoch < training->plan.epochs)
        if (!run_epoch(training, status))
            return false;
    return finish(training, result, status);
}

/* --- Timeline --- */

/* Called on all ranks after the training. */
static bool write_timeline(Training *training, Status *status)
{
    const Trainer *trainer = &training->trainer;
    const char *chrome_path = training->chrome_path;
    if (!trainer->timeline)
        return true;
    if (!chrome_path)
        chrome_path = arena_printf(training->arena, "%s/timeline.json", training->log_folder);
    const TimelineStages stages =
        trainer->profile ? profile_drawn_as(trainer->profile) : (TimelineStages){0};
    bool is_written = timeline_gather(trainer->timeline, trainer->comm, training->log_folder,
                                      chrome_path, stages, status);
    return training_agree(training, is_written, status);
}

/* --- Together --- */

bool training_run(const TrainingSettings *options, const char *chrome_path, Comm *comm,
                  Arena *arena, TrainingResult *result, Status *status)
{
    Training *training = ARENA_NEW(arena, Training);
    *training = (Training){.options = options,
                           .arena = arena,
                           .rank = comm_rank(comm),
                           .ranks = comm_size(comm),
                           .end = TRAINING_FAILED_ALONE,
                           .chrome_path = chrome_path,
                           .trainer = {.comm = comm}};
    comm_watch_stalls(comm, options->stall_ns > 0 ? options->stall_ns : INT64_MAX, warn_late_ranks,
                      training);
    bool is_done = training_open(training, status) && train(training, result, status);
    training_report_end(&training->report);
    if (is_done) {
        is_done = write_timeline(training, status);
    } else if (training->end !=
               TRAINING_FAILED_ALONE) { // write the incomplete timeline, to help find the cause
        Status second;
        TrainingEnd end = training->end;
        if (!write_timeline(training, &second) && second.message[0])
            report_status(&second);
        training->end = end;
    }
    result->end = is_done ? TRAINING_DONE : training->end;
    result->signal = training->signal;
    training_close(training);
    return is_done;
}

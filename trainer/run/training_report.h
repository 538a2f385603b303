/* The output of a training, in the words of the published Keras script; on rank 0 only.
 *
 *     x_train shape: (50000, 32, 32, 3)
 *     50000 train samples
 *     10000 test samples
 *     (a table of the settings)
 *     Using real-time data augmentation.
 *     Epoch 1/100
 *     1563/1563 [==============================] - 47s 30ms/step - loss: ... - val_acc: 0.4512
 *         1074 images/s, logs/checkpoint-1.h5 (10.0 MB)  1 h 12 min left
 *     ...
 *     Saved trained model at saved_models/keras_cifar10_trained_model.h5
 *     Test loss: 0.974
 *     Test accuracy: 0.7012
 *     (a table of the time of each part of a step, with --profile)
 *
 * On a terminal the bar moves (sim/formats/keras_bar.h). Elsewhere each update is a separate line:
 * there is one for each tenth of an epoch, and at most one per second. Verbosity is that of Keras'
 * fit; the settings are not printed if it is silent. Then, and if only JSON is printed, the
 * progress of the whole training is on stderr (sim/cli/progress.h). */
#ifndef TRAINER_TRAINING_REPORT_H
#define TRAINER_TRAINING_REPORT_H

#include "sim/cli/progress.h"
#include "trainer/compute/loss.h"
#include "trainer/compute/net.h"
#include "trainer/compute/profile.h"
#include "trainer/run/training_settings.h"

/* The settings of a training that are reported. All pointers are borrowed. */
typedef struct {
    const Net *net;
    const char *data_folder, *encoding;
    int64_t train_images, test_images;
    bool is_augmented;
    const char *backend, *precision, *comm;
    const char *device; /* of rank 0; NULL: the processor */
    int32_t ranks;
    int64_t threads, batch_size, steps, epochs;
    int64_t epochs_done;  /* in the checkpoint that it continues, and */
    int64_t steps_done;   /* in the epoch after these */
    double learning_rate; /* of one rank */
    int64_t seed;
    const char *log_folder;
} TrainingPlan;

/* Private: callers do not use the members. */
typedef struct {
    Verbosity verbose;
    bool is_silent; /* prints nothing */
    bool is_terminal;
    int64_t epochs, steps;
    int64_t epoch;        /* under way, from 0 */
    int64_t steps_before; /* of all epochs, done by an earlier process */
    Progress progress;    /* of all epochs */
    int64_t begin_ns, shown_ns;
    int64_t shown_tenths;
    int64_t steps_done; /* in the epoch, with their score */
    Score score;
    int32_t width;
} TrainingReport;

TrainingReport training_report_begin(Verbosity verbose, bool is_json, int32_t rank,
                                     const TrainingPlan *plan);
void training_report_plan(const TrainingReport *report, const TrainingPlan *plan);

/* `epoch` counts from 1; `score` is of the epoch so far. */
void training_report_epoch(TrainingReport *report, int64_t epoch);
void training_report_step(TrainingReport *report, int64_t steps_done, const Score *score);
/* Shows the last step again, although it is not due. */
void training_report_now(TrainingReport *report);
void training_report_epoch_end(TrainingReport *report, const Score *score, const Score *test);
/* `path` NULL: no checkpoint follows this epoch. `bytes` 0: the file is still being written. */
void training_report_checkpoint(const TrainingReport *report, double images_per_s, const char *path,
                                int64_t bytes);

/* The same within an epoch: the bar continues below. */
void training_report_saved(TrainingReport *report, const char *path, int64_t bytes);

void training_report_model(TrainingReport *report, const char *path);
/* Begin and update the bar of the last evaluation. */
void training_report_evaluation(TrainingReport *report);
void training_report_evaluated(TrainingReport *report, int64_t done, int64_t images);
void training_report_scores(const TrainingReport *report, const Score *test);

/* Prints the two lines of test loss and accuracy, also for `trainyard evaluate`; "nan" if a value
 * is not finite. */
void score_lines_print(const Score *test);

/* Prints the table of --profile; called after the scores. */
void training_report_profile(const TrainingReport *report, const Profile *profile);

/* Erases the progress; called before an error is printed. */
void training_report_end(TrainingReport *report);

#endif

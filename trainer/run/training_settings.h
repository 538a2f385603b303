/* The settings of one training. Settings of the published Keras and Horovod script have its names
 * and meanings. */
#ifndef TRAINER_TRAINING_SETTINGS_H
#define TRAINER_TRAINING_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { VERBOSE_SILENT, VERBOSE_BAR, VERBOSE_LINES } Verbosity;

typedef struct {
    const char *folder;       /* output is written below it; data may be there, too */
    const char *data_folder;  /* NULL: `folder` */
    const char *model_folder; /* NULL: saved_models below `folder` */
    const char *log_folder;   /* NULL: logs below `folder` */
    const char *network;
    int64_t batch_size; /* of each rank */
    int64_t epochs;     /* 0: ceil(100 / ranks) */
    int64_t steps;      /* per epoch and rank; 0: the whole training set */
    int64_t limit;      /* images of the training set, and of the test set; 0: all */
    double learning_rate;
    bool is_augmented;
    int verbose; /* Verbosity */
    int64_t seed;
    int backend, precision, comm; /* indices into backend_words, precision_names, comm_words */
    int64_t threads;              /* of each rank */
    bool is_deterministic;        /* even if that costs time */
    const char *checkpoint_every; /* of checkpoint_every_parse; NULL: each epoch */
    const char *resume;           /* a checkpoint or "latest"; NULL: start a training */
    int64_t stall_ns;             /* 0: never */
    int64_t fail_rank, fail_step; /* the rank that kills itself before the step; -1: none */
    int64_t fail_notice_ns;       /* it does so this long after the step; 0: at once */
    bool has_timeline, has_profile;
    bool has_whole_steps; /* on the timeline, where the backend makes them; else their phases */
    bool is_json;
} TrainingSettings;

#endif

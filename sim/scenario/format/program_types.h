/* Programs of a scenario: what the command lines of jobs do. */
#ifndef SIM_SCENARIO_FORMAT_PROGRAM_TYPES_H
#define SIM_SCENARIO_FORMAT_PROGRAM_TYPES_H

#include "sim/cloud/spec/scenario.h"
#include "sim/scenario/format/checkpoint_types.h"

typedef struct {
    const Json *node;
    BoundText path;
    BoundInteger bytes;
} SaveText;

typedef struct {
    const Json *node;
    BoundText path;
    BoundInteger bytes;
} DataText;

typedef struct {
    const Json *node;
    BoundText path;
    const Json *every; /* steps, or a duration */
    BoundInteger blocks;
    BoundInteger on_notice;
} StateText;

typedef struct {
    const Json *node;
    const Json *model; /* a name of the catalogue, or a shape */
    BoundText layout;
    BoundText software;
    BoundInteger sequence;
    BoundInteger global_batch;
    const Json *tokens; /* an integer, or "1T" */
    BoundInteger steps;
    BoundInteger start;
    StateText *checkpoint;
} TransformerText;

typedef struct {
    const Json *node;
    BoundText match;
    BoundText name;
    const Json *duration; /* a program that only takes time: a distribution */
    const Json *speeds;   /* ... on each kind of nodes */
    BoundInteger exit_code;
    BoundText script; /* a program that is simple commands */
    TransformerText *transformer;
    BoundText model; /* a program that trains; names of catalogue entries */
    BoundText data_set;
    BoundText framework;
    BoundText exchange;
    BoundText learning;
    BoundText jitter;
    BoundInteger precision; /* StepPrecision */
    BoundInteger batch_per_rank;
    const Json *epochs; /* integer or expression */
    const Json *steps_per_epoch;
    const Json *evaluate_samples;
    BoundInteger evaluates_at_end;
    DataText *data;
    CheckpointText *checkpoint;
    SaveText *save;
    BoundInteger output; /* ProgramOutput */
} ProgramText;

typedef enum { OUTPUT_PLAIN, OUTPUT_KERAS } ProgramOutput;

typedef struct {
    const Json *node;
    BoundText match;
    BoundInteger duration;
    BoundInteger exit_code;
} PreparationText;

/* The program of every command that no other rule describes. */
typedef struct {
    const Json *node;
    const Json *duration; /* a distribution; NULL: the catalogue's */
    BoundInteger exit_code;
} OtherText;

/* A set-up task of clusters, as PreparationText is a preparation of jobs. */
typedef PreparationText SetupText;

extern const ObjectType program_type, other_type, preparation_type, setup_type;

#endif

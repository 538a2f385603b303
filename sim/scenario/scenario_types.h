/* The scenario format, version 1: what a scenario file may say. The tables in scenario_types.c are
 * the format's definition; `trainyard schema` prints them. */
#ifndef SIM_SCENARIO_SCENARIO_TYPES_H
#define SIM_SCENARIO_SCENARIO_TYPES_H

#include "sim/core/command.h"
#include "sim/scenario/bind.h"

typedef struct {
    const Json *node;
    BoundText name;
    BoundText tier;
    BoundInteger kind; /* ShareKind */
    const Json *files; /* path -> local file, or {"bytes": ...} */
} ShareText;

typedef enum { SHARE_FILE, SHARE_BLOB } ShareKind;

typedef struct {
    const Json *node;
    BoundText account;
    BoundList shares; /* ShareText */
} StorageText;

typedef struct {
    const Json *node;
    BoundText path;
    BoundInteger bytes;
    BoundInteger every;
} SaveText;

typedef struct {
    const Json *node;
    BoundText path;
    BoundInteger bytes;
} DataText;

typedef struct {
    const Json *node;
    BoundText match;
    BoundText name;
    BoundInteger duration; /* a program of fixed length */
    BoundInteger exit_code;
    BoundText model; /* a program that trains; names of catalogue entries */
    BoundText data_set;
    BoundText framework;
    BoundText exchange;
    BoundText learning;
    BoundText jitter;
    BoundInteger batch_per_rank;
    const Json *epochs; /* integer or expression */
    const Json *steps_per_epoch;
    const Json *evaluate_samples;
    BoundInteger evaluates_at_end;
    DataText *data;
    SaveText *checkpoint;
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

typedef struct {
    const Json *node;
    BoundInteger action; /* CommandKind */
    BoundInteger at;
    BoundText after;
    BoundText name;
    BoundText cluster;
    BoundText workspace;
    BoundText experiment;
    BoundText resource_group;
    const Json *config; /* the file's content, or its name where it could not be read */
    BoundInteger target;
    BoundInteger deallocation; /* DeallocationOption */
    BoundInteger query;        /* ShowQuery */
    BoundText share;
    BoundText tier;
    BoundText file;
    const Json *content;
} CommandText;

typedef struct {
    const Json *node;
    BoundText job;
    BoundText cluster;
    BoundText state;
    BoundText metric;
    BoundText files;
    const Json *equals;
    const Json *between;
    const Json *at_least;
    const Json *at_most;
    const Json *count;
} ExpectText;

typedef struct {
    const Json *node;
    BoundText schema;
    BoundInteger version;
    BoundText description;
    BoundInteger seed;
    BoundInteger start;
    BoundText region;
    BoundText subscription;
    BoundText resource_group;
    BoundText workspace;
    BoundText experiment;
    BoundInteger until;
    BoundInteger fidelity; /* Fidelity */
    const Json *catalog;
    BoundList storage;      /* StorageText */
    BoundList programs;     /* ProgramText */
    BoundList preparations; /* PreparationText */
    BoundList commands;     /* CommandText */
    BoundList expect;       /* ExpectText */
} ScenarioText;

extern const ObjectType scenario_type;
extern const ObjectType program_type;
extern const ObjectType expect_type;

const CommandText *scenario_command(const ScenarioText *text, int32_t index);
/* Whether it is a command of `kind`; a refused one is of none. */
bool command_is(const CommandText *command, CommandKind kind);

#endif

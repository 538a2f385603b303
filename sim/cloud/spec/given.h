/* The inputs of a run in addition to its seed: with the program's version they identify it. */
#ifndef SIM_CLOUD_SPEC_GIVEN_H
#define SIM_CLOUD_SPEC_GIVEN_H

#include <stdint.h>

#include "sim/base/arena.h"

/* A parameter and its value, or a file and the checksum of its bytes (sim/base/checksum.h) in 16
 * hexadecimal digits. */
typedef struct {
    const char *name;
    const char *value;
} GivenPair;

/* All zero: nothing is known. */
typedef struct {
    const char **sets; /* "/seed=7": --set, and the options that are short for it */
    uint32_t set_count;
    const char *failures;  /* --failures; NULL: not given */
    GivenPair *parameters; /* all parameters of the scenario */
    uint32_t parameter_count;
    GivenPair *files; /* the scenario, then the files that it names */
    uint32_t file_count;
    const char *samples; /* of --data: "1000 200", to train on and to test with; NULL: not given */
} RunGiven;

/* The inputs as lines: "set /seed=7", "param nodes=6", "file job.json 0123456789abcdef". */
const char *const *given_lines(Arena *arena, const RunGiven *given, uint32_t *count);

#endif

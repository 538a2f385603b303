/* The fuzz targets of a program that runs them without libFuzzer. The build generates the table. */
#ifndef TESTS_FUZZ_REPLAY_SEEDS_H
#define TESTS_FUZZ_REPLAY_SEEDS_H

#include <stddef.h>
#include <stdint.h>

/* Runs one input; returns 0 or, for an input that is not worth keeping, -1. */
typedef int FuzzTarget(const uint8_t *data, size_t size);

typedef struct {
    const char *name; /* of its file, without "fuzz_" and ".c" */
    FuzzTarget *run;
} FuzzTopic;

extern const FuzzTopic fuzz_topics[]; /* ends with an entry without a name */

#endif

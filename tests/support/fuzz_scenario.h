/* What the fuzz targets of scenario, job.json and cluster.json have in common. */
#ifndef TESTS_SUPPORT_FUZZ_SCENARIO_H
#define TESTS_SUPPORT_FUZZ_SCENARIO_H

#include <stddef.h>

/* Reads the small scenario of tests/support/memory_files.h with `bytes` in the place of its file
 * `path`, and the file alone; aborts when a promise of the readers is broken. */
void fuzz_scenario(const char *path, const char *bytes, size_t length);

#endif

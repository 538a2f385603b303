/* Shared by the fuzz targets of scenario, job.json and cluster.json: any input gives either a
 * usable value or problems. A target aborts if it gets neither. */
#ifndef TESTS_SUPPORT_FUZZ_SCENARIO_H
#define TESTS_SUPPORT_FUZZ_SCENARIO_H

#include <stddef.h>

/* As the scenario file of tests/support/memory_files.h, with all it names. */
void fuzz_scenario(const char *bytes, size_t length);
/* As a job.json on a cluster of two nodes; as a cluster.json. The catalogue is read once for all.
 */
void fuzz_job(const char *bytes, size_t length);
void fuzz_cluster(const char *bytes, size_t length);

#endif

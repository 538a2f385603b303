/* Any bytes as a job.json; what is promised stands in fuzz_scenario.h. */
#include <stdint.h>

#include "tests/support/fuzz_scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_job((const char *)data, size);
    return 0;
}

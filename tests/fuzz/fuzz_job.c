/* Any bytes as the job file of an otherwise sound scenario: a scenario or problems, never both. */
#include <stdint.h>

#include "tests/support/fuzz_scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_scenario("job.json", (const char *)data, size);
    return 0;
}

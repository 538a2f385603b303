/* Any bytes as a scenario file; what is promised stands in fuzz_scenario.h. */
#include <stdint.h>

#include "tests/support/fuzz_scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_scenario((const char *)data, size);
    return 0;
}

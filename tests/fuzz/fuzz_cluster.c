/* Any bytes as a cluster.json; fuzz_scenario.h has the properties checked. */
#include <stdint.h>

#include "tests/support/fuzz_scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_cluster((const char *)data, size);
    return 0;
}

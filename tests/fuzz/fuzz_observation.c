/* Any bytes as a table of observations of the service: rows, or a message. */
#include <stdint.h>

#include "sim/base/invariant.h"
#include "tests/support/observation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    const char *text = arena_strndup(arena, (const char *)data, size);
    const char *problem = NULL;
    const Observation *observation = observation_read(arena, text, &problem);
    if (observation == NULL)
        invariant(problem != NULL && problem[0] != '\0');
    else
        invariant(observation_scenario(observation)[0] != '\0');
    arena_destroy(arena);
    return 0;
}

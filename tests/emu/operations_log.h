/* Which answers of which operations the tests have seen: lines "OPERATION<tab>STATUS" at the end of
 * the file that TRAINYARD_OPERATIONS_LOG names, for tools/operations.sh; nothing without it. */
#ifndef TESTS_EMU_OPERATIONS_LOG_H
#define TESTS_EMU_OPERATIONS_LOG_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "emu/http/http.h"

static inline void operations_log(const HttpResponse *response)
{
    const char *path = getenv("TRAINYARD_OPERATIONS_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    if (response->operation)
        fprintf(file, "%s\t%" PRId32 "\n", response->operation, response->status);
    fclose(file);
}

#endif

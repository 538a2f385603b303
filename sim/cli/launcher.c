#include "sim/cli/launcher.h"

#include <stdlib.h>

/* The whole number in an environment variable; `otherwise` if it is not set. */
static int32_t number_in(const char *variable, int32_t otherwise)
{
    const char *text = getenv(variable);
    long number = text ? strtol(text, NULL, 10) : otherwise;
    return number < 0 || number >= INT32_MAX ? 0 : (int32_t)number;
}

int32_t launcher_open_mpi_ranks(void)
{
    return number_in("OMPI_COMM_WORLD_SIZE", 1);
}

int32_t launcher_ranks(void)
{
    int32_t open_mpi = launcher_open_mpi_ranks(), pmi = number_in("PMI_SIZE", 1);
    int32_t pmix =
        number_in("PMIX_RANK", 0) + 1; // this rank's number: there are at least all lower ranks
    int32_t most = open_mpi > pmi ? open_mpi : pmi;
    return most > pmix ? most : pmix;
}

bool launcher_is_there(void)
{
    bool says_size = getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE");
    return launcher_ranks() > 1 || (!says_size && getenv("PMIX_RANK"));
}

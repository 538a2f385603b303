#include "real/ranks.h"

#include <unistd.h>

RanksMachine ranks_machine(Arena *arena)
{
    (void)arena;
    return (RanksMachine){.cores = (int32_t)sysconf(_SC_NPROCESSORS_ONLN)};
}

#include "sim/model/queue.h"

#include <math.h>

#include "sim/model/random_math.h"

double queue_wait_probability(int32_t servers, double load)
{
    double blocked = 1; // Erlang's B without servers
    if (load >= servers)
        return 1;
    for (int32_t c = 1; c <= servers; c++)
        blocked = load * blocked / (c + load * blocked);
    return servers * blocked / (servers - load * (1 - blocked));
}

double queue_mean_wait(int32_t servers, double load)
{
    return load >= servers ? (double)INFINITY
                           : queue_wait_probability(servers, load) / (servers - load);
}

double queue_wait_within(int32_t servers, double load, double x)
{
    return load >= servers
               ? 0
               : 1 - queue_wait_probability(servers, load) * random_exp(-(servers - load) * x);
}

double queue_general_mean_wait(int32_t servers, double load, double cs2)
{
    return (1 + cs2) / 2 * queue_mean_wait(servers, load);
}

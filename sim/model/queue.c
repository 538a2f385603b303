#include "sim/model/queue.h"

#include <math.h>

/* Erlang's B: the share of time in which all servers are busy if no job waits. */
static double blocked_share(int32_t servers, double load)
{
    double blocked = 1;
    for (int32_t c = 1; c <= servers; c++)
        blocked = load * blocked / (c + load * blocked);
    return blocked;
}

double queue_wait_probability(int32_t servers, double load)
{
    const double blocked = blocked_share(servers, load);
    if (load >= servers)
        return 1;
    return servers * blocked / (servers - load * (1 - blocked));
}

double queue_mean_wait(int32_t servers, double load)
{
    return load >= servers ? (double)INFINITY
                           : queue_wait_probability(servers, load) / (servers - load);
}

double queue_general_mean_wait(int32_t servers, double load, double cs2)
{
    return (1 + cs2) / 2 * queue_mean_wait(servers, load);
}

QueueLoss queue_limited(int32_t servers, int32_t room, double load)
{
    // Probabilities of `servers` + j jobs, as parts of that of `servers`.
    const double ratio = load / servers;
    double part = 1, total = 1 / blocked_share(servers, load), waiting = 0;
    const int32_t most = room < QUEUE_ROOM_MOST ? room : QUEUE_ROOM_MOST;
    for (int32_t j = 1; j <= most; j++) {
        part *= ratio;
        total += part;
        waiting += part * j;
        if (total > 1e100) { // only their ratios matter
            part /= total;
            waiting /= total;
            total = 1;
        }
    }
    const double lost = part / total;
    return (QueueLoss){lost, waiting / total / (load * (1 - lost))};
}

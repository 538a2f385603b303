#include "tests/support/erlang.h"

#include <math.h>

double erlang_c(int32_t servers, double offered)
{
    double blocking = 1;
    if (servers <= offered)
        return 1;
    for (int32_t i = 1; i <= servers; i++)
        blocking = offered * blocking / (i + offered * blocking);
    const double load = offered / servers;
    return blocking / (1 - load * (1 - blocking));
}

double erlang_share(int32_t servers, double offered, double limit)
{
    return servers <= offered ? 0
                              : 1 - erlang_c(servers, offered) * exp(-(servers - offered) * limit);
}

double daley_variance(double load)
{
    return load * (2 + load * (5 - load * (4 - load))) / pow(1 - load, 4);
}

double daley_jobs(double load, double relative)
{
    const double z = 1.959963984540054, mean = load / (1 - load);
    return pow(z / (relative * mean), 2) * daley_variance(load);
}

double erlang_lost(int32_t servers, int32_t room, double offered)
{
    double term = 1, sum = 1;
    for (int32_t n = 1; n <= servers + room; n++)
        sum += term *= offered / (n < servers ? n : servers);
    return term / sum;
}

enum { PRESENT_MOST = 400 };

/* One service later. */
static void crommelin_step(const double *arrivals, int32_t servers, double *present)
{
    double next[PRESENT_MOST] = {0};
    for (int32_t n = 0; n < PRESENT_MOST; n++) {
        const int32_t left = n > servers ? n - servers : 0;
        for (int32_t k = 0; left + k < PRESENT_MOST; k++)
            next[left + k] += present[n] * arrivals[k];
    }
    for (int32_t n = 0; n < PRESENT_MOST; n++)
        present[n] = next[n];
}

double crommelin_mean_wait(int32_t servers, double offered)
{
    enum { STEPS = 300 };
    double arrivals[PRESENT_MOST] = {exp(-offered)}, present[PRESENT_MOST] = {1}, waiting = 0;
    if (servers <= offered)
        return (double)INFINITY;
    for (int32_t k = 1; k < PRESENT_MOST; k++)
        arrivals[k] = arrivals[k - 1] * offered / k;
    for (int32_t i = 0; i < STEPS; i++)
        crommelin_step(arrivals, servers, present);
    for (int32_t n = servers + 1; n < PRESENT_MOST; n++)
        waiting += (n - servers) * present[n];
    return waiting / offered;
}

double cobham_mean_wait(int32_t servers, double offered, double first, int32_t rank)
{
    if (servers <= offered)
        return (double)INFINITY;
    const double none = erlang_c(servers, offered) / servers, ahead = 1 - first / servers;
    return rank == 0 ? none / ahead : none / ahead / (1 - offered / servers);
}

double kaufman_lost(int32_t servers, int32_t kinds, const int32_t *sizes, const double *offered)
{
    double busy[PRESENT_MOST] = {1}, sum = 1, lost = 0, all = 0;
    for (int32_t n = 1; n <= servers; n++) {
        for (int32_t k = 0; k < kinds; k++)
            busy[n] += sizes[k] <= n ? sizes[k] * offered[k] * busy[n - sizes[k]] / n : 0;
        sum += busy[n];
    }
    for (int32_t k = 0; k < kinds; k++) {
        all += offered[k];
        for (int32_t n = servers - sizes[k] + 1; n <= servers; n++)
            lost += n >= 0 ? offered[k] * busy[n] / sum : 0;
    }
    return lost / all;
}

double palm_mean_down(int32_t machines, int32_t crews, double up, double down)
{
    double term = 1, sum = 1, mean = 0;
    for (int32_t n = 1; n <= machines; n++) {
        term *= (machines - n + 1) / up * down / (n < crews ? n : crews);
        sum += term;
        mean += n * term;
    }
    return mean / sum;
}

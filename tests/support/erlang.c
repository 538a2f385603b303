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

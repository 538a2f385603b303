#include "trainer/comm/rank_place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/units.h"

static const char launch_hint[] = "`trainyard ranks --ranks N -- ...` starts ranks and tells them";

/* Never NULL: "" where it is not set. */
static const char *text_of(const char *variable)
{
    const char *text = getenv(variable);
    return text ? text : "";
}

static bool text_read(const char *variable, const char **text, Status *status)
{
    *text = text_of(variable);
    if (**text)
        return true;
    status_fail(status, STATUS_BAD_INPUT, place_in(variable, 0, 0), "is not set");
    return status_hint(status, "%s", launch_hint);
}

/* A whole number from `minimum` to `maximum`, of at most nine digits. */
static bool is_number(const char *text, int32_t minimum, int32_t maximum, int32_t *number)
{
    const size_t length = strspn(text, "0123456789");
    if (length == 0 || length > 9 || text[length])
        return false;
    *number = (int32_t)strtol(text, NULL, 10);
    return *number >= minimum && *number <= maximum;
}

static bool number_read(const char *variable, int32_t minimum, int32_t maximum, int32_t *number,
                        Status *status)
{
    const char *text;
    if (!text_read(variable, &text, status))
        return false;
    if (is_number(text, minimum, maximum, number))
        return true;
    status_fail(status, STATUS_BAD_INPUT, place_in(variable, 0, 0),
                "is \"%s\", expected a whole number from %" PRId32 " to %" PRId32, text, minimum,
                maximum);
    return status_hint(status, "%s", launch_hint);
}

static bool run_read(const char **run, Status *status)
{
    static const char allowed[] =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-";
    if (!text_read("TRAINYARD_RUN", run, status))
        return false;
    const size_t length = strlen(*run);
    if (length <= RUN_WORD_MAX && strspn(*run, allowed) == length)
        return true;
    return status_fail(status, STATUS_BAD_INPUT, place_in("TRAINYARD_RUN", 0, 0),
                       "expected at most %d letters, digits, \".\", \"_\" or \"-\"", RUN_WORD_MAX);
}

static bool timeout_read(int64_t *timeout_ns, Status *status)
{
    const char *text = getenv("TRAINYARD_MEET_TIMEOUT");
    *timeout_ns = 60 * NS_PER_S; // as long as a late rank goes unnamed in a training
    return !text ||
           duration_parse(text, place_in("TRAINYARD_MEET_TIMEOUT", 0, 0), timeout_ns, status);
}

bool rank_place_is_told(void)
{
    const char *ranks = getenv("TRAINYARD_RANKS");
    return ranks && *ranks && strcmp(ranks, "1") != 0;
}

int32_t rank_place_local_gpus(void)
{
    const char *text = getenv("TRAINYARD_LOCAL_GPUS");
    int32_t gpus;
    return text && is_number(text, 1, RANKS_MAX, &gpus) ? gpus : 0;
}

bool rank_place_read(RankPlace *place, Status *status)
{
    *place = (RankPlace){.local_gpus = rank_place_local_gpus()};
    return number_read("TRAINYARD_RANKS", 1, RANKS_MAX, &place->ranks, status) &&
           number_read("TRAINYARD_RANK", 0, place->ranks - 1, &place->rank, status) &&
           number_read("TRAINYARD_LOCAL_RANKS", 1, place->ranks, &place->local_ranks, status) &&
           number_read("TRAINYARD_LOCAL_RANK", 0, place->local_ranks - 1, &place->local_rank,
                       status) &&
           text_read("TRAINYARD_MEET", &place->meeting, status) && run_read(&place->run, status) &&
           timeout_read(&place->timeout_ns, status);
}

static void number_write(const char *variable, int32_t number)
{
    char text[16];
    snprintf(text, sizeof text, "%" PRId32, number);
    setenv(variable, text, 1);
}

void rank_place_write(const RankPlace *place)
{
    char timeout[32];
    snprintf(timeout, sizeof timeout, "%" PRId64 "ns", place->timeout_ns);
    number_write("TRAINYARD_RANK", place->rank);
    number_write("TRAINYARD_RANKS", place->ranks);
    number_write("TRAINYARD_LOCAL_RANK", place->local_rank);
    number_write("TRAINYARD_LOCAL_RANKS", place->local_ranks);
    if (place->local_gpus > 0)
        number_write("TRAINYARD_LOCAL_GPUS", place->local_gpus);
    else
        unsetenv("TRAINYARD_LOCAL_GPUS");
    setenv("TRAINYARD_MEET", place->meeting, 1);
    setenv("TRAINYARD_RUN", place->run, 1);
    setenv("TRAINYARD_MEET_TIMEOUT", timeout, 1);
}

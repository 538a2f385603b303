#include "sim/cloud/record/moment.h"

#include <string.h>

#include "sim/base/invariant.h"

static const struct {
    const char *noun, *name;
    MomentOrdinal ordinal;
} moments[] = {
#define X(moment, noun, name, ordinal) [MOMENT_##moment] = {noun, name, ORDINAL_##ordinal},
    MOMENTS(X)
#undef X
};
_Static_assert(sizeof moments / sizeof moments[0] == MOMENT_CONDITION, "one row per moment");

static bool is_moment(Moment moment)
{
    return moment > MOMENT_AT && moment < MOMENT_CONDITION;
}

Moment moment_find(const char *noun, const char *name)
{
    for (int m = MOMENT_AT + 1; m < MOMENT_CONDITION; m++)
        if (strcmp(moments[m].noun, noun) == 0 && strcmp(moments[m].name, name) == 0)
            return (Moment)m;
    return MOMENT_COUNT;
}

const char *moment_noun(Moment moment)
{
    invariant(is_moment(moment));
    return moments[moment].noun;
}

const char *moment_name(Moment moment)
{
    invariant(is_moment(moment));
    return moments[moment].name;
}

MomentOrdinal moment_ordinal(Moment moment)
{
    invariant(is_moment(moment));
    return moments[moment].ordinal;
}

bool moment_is_of_job(Moment moment)
{
    return is_moment(moment) && !moment_is_of_cluster(moment);
}

bool moment_counts_steps(Moment moment)
{
    return moment == MOMENT_JOB_STEP || moment == MOMENT_JOB_SAVED;
}

bool moment_is_of_cluster(Moment moment)
{
    return is_moment(moment) && moment <= MOMENT_CLUSTER_DELETED;
}

#include "sim/base/invariant.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void invariant_broken(const char *condition, const char *file, int line)
{
    fprintf(stderr,
            "%s:%d: broken invariant: %s\n  hint: this is a bug in trainyard, not in your input\n",
            file, line, condition);
    abort();
}

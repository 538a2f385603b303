#include "trainer/host.h"

static bool probe(Precision precision, Status *status)
{
    (void)precision;
    return status_fail(status, STATUS_MACHINE, place_in("trainyard train", 0, 0),
                       "OpenBLAS is not written yet");
}

const Backend backend_openblas = {.name = "openblas", .summary = "OpenBLAS", .probe = probe};

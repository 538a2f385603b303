#include "trainer/host.h"

static bool probe(Precision precision, Status *status)
{
    (void)precision;
    return status_fail(status, STATUS_MACHINE, place_in("trainyard train", 0, 0),
                       "oneDNN is not written yet");
}

const Backend backend_onednn = {.name = "onednn", .summary = "oneDNN", .probe = probe};

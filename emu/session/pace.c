#include "emu/session/pace.h"

void pace_polled(Pace *pace)
{
    pace->is_polled = true;
    pace->polls_only_jobs = false;
}

void pace_polled_job(Pace *pace)
{
    pace->polls_only_jobs = pace->polls_only_jobs || !pace->is_polled;
    pace->is_polled = true;
}

void pace_looked(Pace *pace, int64_t entry)
{
    enum { LOOKS_OF_A_WAIT = 3 };
    if (pace->looked_entry != entry)
        pace->looks = 0;
    pace->looked_entry = entry;
    if (pace->looks < LOOKS_OF_A_WAIT)
        pace->looks++;
    if (pace->looks == LOOKS_OF_A_WAIT)
        pace_polled(pace);
}

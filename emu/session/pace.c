#include "emu/session/pace.h"

void pace_polled(Pace *pace)
{
    pace->is_polled = true;
}

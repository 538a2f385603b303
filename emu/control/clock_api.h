/* The clock's part of the control API (emu/control/control.h). */
#ifndef EMU_CONTROL_CLOCK_API_H
#define EMU_CONTROL_CLOCK_API_H

#include "emu/control/control.h"

ControlHandler clock_show, clock_tell;

/* The clock as GET shows it. */
Json *clock_api_show(const Control *control, Arena *arena);
/* Lets the world run to `to_ns`; the clock continues from there. False if the store failed. */
MUST_CHECK bool clock_api_jump(Control *control, int64_t to_ns, Status *status);

#endif

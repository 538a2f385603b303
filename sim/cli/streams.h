/* stdin, stdout and stderr of a program, looked after once at its start and once at its end. */
#ifndef SIM_CLI_STREAMS_H
#define SIM_CLI_STREAMS_H

#include "sim/base/status.h"

/* Call first. A descriptor 0 to 2 that the parent closed is opened on something that fails, so that
 * no file opened later takes its number and receives what was meant for the terminal. */
void streams_guard(void);

/* Call last: writes out what stdout still holds. STATUS_MACHINE when any of it was lost (full disk,
 * closed stdout). */
MUST_CHECK bool streams_finish(Status *status);

#endif

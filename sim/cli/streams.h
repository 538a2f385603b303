/* stdin, stdout and stderr of a program: guarded once at its start and checked once at its end. */
#ifndef SIM_CLI_STREAMS_H
#define SIM_CLI_STREAMS_H

#include "sim/base/status.h"

/* Call first. A descriptor 0 to 2 that the parent closed is opened on a file whose use fails, so
 * that no file opened later gets its number and receives output for the terminal. On a terminal
 * whose locale is not UTF-8, stdout and stderr write ASCII (terminal_ascii); files and pipes get
 * the same bytes in every locale. */
void streams_guard(void);

/* Call last: flushes stdout. STATUS_MACHINE when output was lost (full disk, closed stdout). */
MUST_CHECK bool streams_finish(Status *status);

#endif

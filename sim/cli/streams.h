/* stdin, stdout and stderr of a program: guarded once at its start and checked once at its end, and
 * divided between the program and code from outside that it loads. */
#ifndef SIM_CLI_STREAMS_H
#define SIM_CLI_STREAMS_H

#include "sim/base/status.h"

/* Call first. A descriptor 0 to 2 that the parent closed is opened on a file whose use fails, so
 * that no file opened later gets its number and receives output for the terminal. On a terminal
 * whose locale is not UTF-8, stdout and stderr write ASCII (terminal_ascii); files and pipes get
 * the same bytes in every locale. */
void streams_guard(void);

/* Gives code from outside, such as a scheduling policy, a standard output apart from the program's:
 * descriptor 1 and `stdout` between streams_foreign_begin and streams_foreign_end are standard
 * error from now on, so that only the program writes on its standard output. Call it once, before
 * that code is loaded. STATUS_MACHINE if the process has too many open files. */
MUST_CHECK bool streams_divide(Status *status);
/* Around each call of code from outside, on any thread; nothing else prints on stdout meanwhile. */
void streams_foreign_begin(void);
void streams_foreign_end(void);

/* Call last: flushes stdout. STATUS_MACHINE when output was lost (full disk, closed stdout). */
MUST_CHECK bool streams_finish(Status *status);

#endif

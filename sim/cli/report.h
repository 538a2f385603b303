/* How a Status is reported: on stderr, and as the program's exit code.
 *
 *     scenarios/spot.json:6:15: cluster "gpu": nodes is -3, expected 0 to 1000
 *       hint: preemptible nodes go in "low_priority_nodes"
 *
 * A place that begins with '-' is an option of the command line; the program and its verb precede
 * it: `trainyard: run: --why: there was no job "nip" in this run`. */
#ifndef SIM_CLI_REPORT_H
#define SIM_CLI_REPORT_H

#include "sim/base/status.h"
#include "sim/base/text.h"

enum {
    EXIT_FINE = 0,
    EXIT_NO = 1,        /* the answer is no: a failed expectation, a failed job, runs that differ */
    EXIT_BAD_INPUT = 2, /* or wrong usage */
    EXIT_MACHINE = 3,   /* a failure of this machine: disk, memory, a missing program */
};

int exit_code_of(StatusCode code);
/* Among several problems a failure of the machine decides. EXIT_FINE when there are none. */
int exit_code_of_problems(const Problems *problems);

/* Print on stderr, in colour if terminal_has_colour (sim/cli/terminal.h); return the exit
 * code. */
int report_status(const Status *status);
int report_problems(const Problems *problems); /* EXIT_FINE and silence when there are none */

/* The same for warnings: each message begins with "warning: ". */
void report_warnings(const Problems *warnings);

/* The same as text. Control characters, which a file may have smuggled in, appear as \x1b. */
void status_print(const Status *status, bool in_colour, Text *out);
void problems_print(const Problems *problems, bool in_colour, Text *out);
void warnings_print(const Problems *warnings, bool in_colour, Text *out);

#endif

/* A verb of `trainyard` that is a separate program: trainyard-NAME, from verb_NAME.c and
 * tools/trainyard/program/main.c. */
#ifndef SIM_CLI_PROGRAM_H
#define SIM_CLI_PROGRAM_H

/* Runs the verb; argv[0] is skipped. Prints, and returns an exit code of sim/cli/report.h; main
 * flushes and checks stdout. Each verb_NAME.c defines this. */
int program_run(int argc, char **argv);

#endif

/* A verb of `trainyard` that is a program of its own: trainyard-NAME, from verb_NAME.c and
 * tools/trainyard/program/main.c. */
#ifndef SIM_CLI_PROGRAM_H
#define SIM_CLI_PROGRAM_H

/* Does all the verb does; argv[0] is skipped. Prints, and returns an exit code of sim/cli/report.h;
 * stdout is flushed and checked by main. Each verb_NAME.c defines this. */
int program_run(int argc, char **argv);

#endif

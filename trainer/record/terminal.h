/* Whether somebody watches what is printed. */
#ifndef TRAINER_TERMINAL_H
#define TRAINER_TERMINAL_H

#include <stdbool.h>

/* True when `descriptor` leads to a terminal that shows it. isatty alone does not tell: mpirun
 * gives each rank a pseudo-terminal, also when its own output goes into a file. That one has no
 * size, and what counts then is where the launcher's own descriptor of this number leads (as Linux
 * shows it in /proc; elsewhere: to no terminal). */
bool terminal_is_watched(int descriptor);

#endif

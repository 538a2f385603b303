/* Whether output is shown on a terminal. */
#ifndef TRAINER_TERMINAL_H
#define TRAINER_TERMINAL_H

#include <stdbool.h>

/* True if `descriptor` is a terminal that a user can see. isatty is not enough: mpirun gives each
 * rank a pseudo-terminal without a size, even if the output of mpirun goes into a file. For such a
 * pseudo-terminal the result depends on the parent's descriptor of the same number, which Linux
 * shows in /proc; false on other systems. */
bool terminal_is_watched(int descriptor);

#endif

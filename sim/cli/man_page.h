/* Manual pages (section 1, in the macros of man(7)) from the tables of options. */
#ifndef SIM_CLI_MAN_PAGE_H
#define SIM_CLI_MAN_PAGE_H

#include "sim/cli/options.h"

/* The page of a verb, trainyard-NAME(1), or of the program itself, trainyard(1); `version` is the
 * program's. */
void man_page(const OptionTable *table, const char *version, Text *out);

#endif

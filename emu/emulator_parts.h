/* Which part of the emulator answers a request. */
#ifndef EMU_EMULATOR_PARTS_H
#define EMU_EMULATOR_PARTS_H

#include "emu/http.h"

typedef enum {
    PART_WELCOME, /* "/": what is where */
    PART_CONTROL, /* /trainyard/...: clock, faults, dashboard */
    PART_ARM,     /* Resource Manager, Batch AI, tokens */
    PART_FILES,   /* Azure Files */
    PART_NONE,
} EmulatorPart;

/* By listener, host ("ACCOUNT.file.SUFFIX" is storage) and the first part of the path; a path that
 * begins with none of our own words is "/ACCOUNT/SHARE/...", so no account can be called as they.
 */
EmulatorPart emulator_part(const HttpRequest *request, const char *storage_suffix);
/* Whether an account may not be called so. */
bool emulator_part_word(const char *name);

#endif

/* Storage accounts' keys. */
#ifndef EMU_ARM_STORAGE_H
#define EMU_ARM_STORAGE_H

#include "emu/emulator.h"

/* Key `which` (0 or 1) of a living account in base64, in `arena`; NULL when there is no such
 * account, or the store's disk is full. */
const char *arm_storage_key(Emulator *emulator, Arena *arena, const char *account, int which);

#endif

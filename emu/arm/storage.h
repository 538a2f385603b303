/* Storage accounts and their keys.
 *
 * A key is derived from a secret of the store's, the account and the key's generation, which
 * regenerating raises: so it is the same after a restart, and stands nowhere. */
#ifndef EMU_ARM_STORAGE_H
#define EMU_ARM_STORAGE_H

#include "emu/arm/arm.h"

ArmHandler storage_list, storage_list_by_group, storage_create, storage_get, storage_update;
ArmHandler storage_delete, storage_list_keys, storage_regenerate_key, storage_check_name;

enum { STORAGE_KEYS = 2, STORAGE_KEY_BYTES = 64 };

/* Key `which` (0 or 1) of a living account in base64, in `arena`; NULL when there is no such
 * account, or the store's disk is full. */
const char *arm_storage_key(Arm *arm, Arena *arena, const char *account, int which);

/* The account of that name, in whatever group; NULL. */
Record *storage_find(const Arm *arm, const char *account);
/* The files of all accounts below `scope`, which are about to be deleted. */
void storage_forget_files(const ArmCall *call, ResourcePath scope);

#endif

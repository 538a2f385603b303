/* Storage accounts and their keys.
 *
 * A key is derived from a secret in the store, the account and the key's generation, which each
 * regeneration raises. So it is the same after a restart and is not stored. */
#ifndef EMU_ARM_STORAGE_H
#define EMU_ARM_STORAGE_H

#include "emu/arm/arm.h"

ArmHandler storage_list, storage_list_by_group, storage_create, storage_get, storage_update;
ArmHandler storage_delete, storage_list_keys, storage_regenerate_key, storage_check_name;

enum { STORAGE_KEYS = 2, STORAGE_KEY_BYTES = 64 };

/* Returns key `which` (0 or 1) of an existing account in base64, in `arena`. NULL if there is no
 * such account, or the store's disk is full. */
const char *arm_storage_key(Arm *arm, Arena *arena, const char *account, int which);

/* Returns the account of that name in any group; NULL if there is none. */
Record *storage_find(const Arm *arm, const char *account);
/* Deletes the files of all accounts in `scope`. Called before the accounts are deleted. */
void storage_forget_files(const ArmCall *call, ResourcePath scope);

#endif

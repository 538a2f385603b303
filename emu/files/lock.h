/* Lease Share and Lease File: a request for a lease (emu/files/lease.h), and its answer. */
#ifndef EMU_FILES_LOCK_H
#define EMU_FILES_LOCK_H

#include "emu/files/call.h"

void lock_act(FilesCall *call, const FilesEntry *entry);

#endif

/* The blob host: containers, and GET of the blobs that jobs write to them. No client can write one.
 * `az batchai cluster create --use-auto-storage` makes one; every other operation is refused by
 * name. */
#ifndef EMU_BLOB_H
#define EMU_BLOB_H

#include "emu/files/call.h"

FilesHandler blob_handle;

#endif

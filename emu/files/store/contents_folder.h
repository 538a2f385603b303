/* The folder `contents` in the state folder, from its opening to its closing. */
#ifndef EMU_FILES_CONTENTS_FOLDER_H
#define EMU_FILES_CONTENTS_FOLDER_H

#include "emu/files/store/blobs.h"

/* Opens the folder `contents` of the store. Blobs that no extent refers to are set aside, with a
 * warning of the store. STATUS_BAD_INPUT where blobs are missing; if the store recovers, their
 * files are removed, with a warning for each. */
bool contents_open(Blobs *blobs, Arena *arena, Store *store, Tables *tables, Status *status);
void contents_close(Blobs *blobs);
/* Opens a file without a name, for generated contents; -1 on failure. */
int unnamed_file(Blobs *blobs);

#endif

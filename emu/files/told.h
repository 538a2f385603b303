/* What clients write, as the world is told of it.
 *
 * A file's size is told by the request that makes, resizes, copies or renames it; what is in it
 * comes in any number of ranges later, and is told once, before anything can happen that it could
 * matter to. Text of up to FILES_TOLD_TEXT_MAX bytes is told as text, so that a job's `cat` prints
 * it and an exported session has it; of all other files the world knows their size. */
#ifndef EMU_FILES_TOLD_H
#define EMU_FILES_TOLD_H

#include "emu/files/auth/azure_files.h"

/* Each text told is kept as long as the session, in memory and in its journal. */
enum { FILES_TOLD_TEXT_MAX = 64 << 10 };

/* How many files have been written since the world was told of them. */
int32_t files_untold_count(const AzureFiles *service);
/* Tells of them now. What the disk has no room to enter is told the next time. */
void files_tell_written(const AzureFiles *service);

#endif

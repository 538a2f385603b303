/* Metadata: names and values that a client gives to a share, directory or file. */
#ifndef EMU_FILES_METADATA_H
#define EMU_FILES_METADATA_H

#include "emu/files/call.h"

/* Reads all x-ms-meta-NAME of the request as a JSON object in text; "" if there are none. */
bool metadata_take(FilesCall *call, const char **metadata);
void metadata_answer(FilesCall *call, const char *metadata);
void metadata_write(XmlWriter *xml, Arena *arena, const char *metadata); /* <Metadata> */

#endif

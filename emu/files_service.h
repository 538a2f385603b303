/* The properties of an account's file service. */
#ifndef EMU_FILES_SERVICE_H
#define EMU_FILES_SERVICE_H

#include "emu/files_call.h"

/* A section as it was last set ("Cors"), or as it is before anybody did. */
const XmlNode *service_section(const FilesCall *call, const char *name);

#endif

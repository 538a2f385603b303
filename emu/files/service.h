/* The properties of an account's file service. */
#ifndef EMU_FILES_SERVICE_H
#define EMU_FILES_SERVICE_H

#include "emu/files/call.h"

/* A section as it was last set ("Cors"), or as it is before anybody did. */
const XmlNode *service_section(const FilesCall *call, const char *name);
/* The first of the account's CORS rules; NULL: there is none. Quick, as every GET asks. */
const XmlNode *service_cors_rules(const FilesCall *call);

#endif

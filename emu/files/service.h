/* The properties of an account's file service. */
#ifndef EMU_FILES_SERVICE_H
#define EMU_FILES_SERVICE_H

#include "emu/files/call.h"

/* The first of the account's CORS rules; NULL if there are none. Fast, because every GET needs it.
 */
const XmlNode *service_cors_rules(const FilesCall *call);

#endif

/* Cross-origin requests: which pages of a browser may read what the service answers. Rules are a
 * section of the service's properties; the first that fits counts.
 *
 * Source: Microsoft, "Cross-Origin Resource Sharing (CORS) support for Azure Storage", "Preflight
 * File Request". */
#ifndef EMU_FILES_CORS_H
#define EMU_FILES_CORS_H

#include "emu/files_call.h"

/* Whether a rule to be set is one. */
bool cors_rule_is_right(const XmlNode *rule);
/* Adds what a browser asks of the answer to a request that has an Origin. */
void cors_tell(FilesCall *call);

#endif

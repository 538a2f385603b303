/* Cross-origin requests: which pages of a browser may read what the service answers. Rules are a
 * section of the service's properties; the first of a request's origin and method is the one that
 * counts, also where it refuses headers that a later one would take.
 *
 * Source: Microsoft, "Cross-Origin Resource Sharing (CORS) support for Azure Storage", "Preflight
 * File Request". */
#ifndef EMU_FILES_CORS_H
#define EMU_FILES_CORS_H

#include "emu/files/call.h"

/* Whether a <CorsRule> to be set is one. */
bool cors_rule_is_right(const XmlNode *rule);
/* Adds to an answer what a browser must know that has it, or keeps it for others to have. */
void cors_tell(FilesCall *call);

#endif

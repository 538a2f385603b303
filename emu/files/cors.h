/* Cross-origin requests: which web pages may read the service's answers. The rules are a section of
 * the service's properties. The first rule for a request's origin and method applies, even if it
 * refuses headers that a later rule allows.
 *
 * Source: Microsoft, "Cross-Origin Resource Sharing (CORS) support for Azure Storage", "Preflight
 * File Request". */
#ifndef EMU_FILES_CORS_H
#define EMU_FILES_CORS_H

#include "emu/files/call.h"

/* Whether a <CorsRule> is valid. */
bool cors_rule_is_valid(const XmlNode *rule);
/* Sets the headers that browsers and their caches need. */
void cors_answer(FilesCall *call);

#endif

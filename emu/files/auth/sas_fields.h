/* Times, addresses and versions in shared access signatures. Stored access policies and headers
 * have the same times, x-ms-version the same versions. */
#ifndef EMU_SAS_FIELDS_H
#define EMU_SAS_FIELDS_H

#include "sim/base/status.h"

/* Reads "2018-06-15", "2018-06-15T21:57Z", "2018-06-15T21:57:57Z", with up to seven decimals. */
MUST_CHECK bool sas_time_parse(const char *text, int64_t *unix_ms);
/* Whether `addresses`, "168.1.5.60" or "168.1.5.60-168.1.5.70", include `address`. */
bool sas_addresses_have(const char *addresses, const char *address);

/* Whether `text` has the form of a protocol version, "2018-03-28". */
bool files_is_version(const char *text);

#endif

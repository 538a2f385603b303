/* Times, addresses and versions as shared access signatures have them (emu/files/auth/sas.h), times
 * as stored access policies and headers do, versions as x-ms-version does. */
#ifndef EMU_SAS_FIELDS_H
#define EMU_SAS_FIELDS_H

#include "sim/base/status.h"

/* "2018-06-15", "2018-06-15T21:57Z", "2018-06-15T21:57:57Z", with up to seven decimals. */
MUST_CHECK bool sas_time_parse(const char *text, int64_t *unix_ms);
/* Whether `address` is "168.1.5.60", or in "168.1.5.60-168.1.5.70". */
bool sas_addresses_have(const char *addresses, const char *address);

/* Whether it is written as versions of the protocol are: "2018-03-28". */
bool files_is_version(const char *text);

#endif

/* Range headers of Azure Files: "bytes=FIRST-LAST" and "bytes=FIRST-", with one range.
 *
 * Source: Microsoft, "Specify the range header for file service operations". */
#ifndef EMU_FILES_RANGE_H
#define EMU_FILES_RANGE_H

#include "emu/files/store/file_store.h"

/* `last` is INT64_MAX for "bytes=FIRST-". False for any other text. */
MUST_CHECK bool files_range_parse(const char *text, FilesRange *range);

#endif

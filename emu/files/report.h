/* Reports to the world what clients write.
 *
 * The request that creates, resizes, copies or renames a file reports its size. Its contents are
 * written in ranges later and are reported once, before the next event of the world. Text of up to
 * FILES_REPORT_TEXT_MAX bytes is reported as text, so that a job's `cat` prints it and an exported
 * session contains it; of other files the world knows the size. */
#ifndef EMU_FILES_REPORT_H
#define EMU_FILES_REPORT_H

#include "emu/files/auth/azure_files.h"

/* Each reported text is kept as long as the session, in memory and in its journal. */
enum { FILES_REPORT_TEXT_MAX = 64 << 10 };

/* The number of files that were written and not reported yet. */
int32_t files_unreported_count(const AzureFiles *service);
/* Reports them. A file that cannot be entered because the disk is full is reported the next time.
 */
void files_report_written(const AzureFiles *service);

#endif

/* The reference of trace.tsv as Markdown: its columns, records and causes, from the tables that
 * write the file. */
#ifndef SIM_OUTPUT_TRACE_REFERENCE_H
#define SIM_OUTPUT_TRACE_REFERENCE_H

#include "sim/base/text.h"

void trace_reference(Text *out);

#endif

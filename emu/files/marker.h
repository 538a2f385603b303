/* Pages of a list.
 *
 * A marker is the prefix and the last name of the page before, in base64. It contains the prefix
 * because some clients send another prefix with the marker. */
#ifndef EMU_FILES_MARKER_H
#define EMU_FILES_MARKER_H

#include "emu/files/call.h"

typedef struct {
    const char *prefix;
    const char *after;  /* the last name of the page before; "" for the first page */
    const char *marker; /* the marker as received; "" */
} ListPage;

/* Reads prefix and marker of the query. */
bool list_page_read(FilesCall *call, ListPage *page);
/* Writes <Prefix>, <Marker> and <MaxResults> as requested. A request without a prefix gets no
 * <Prefix>: the Python SDK derives the next request from it, also if it is empty. */
void list_page_write(FilesCall *call, XmlWriter *xml, const ListPage *page);
const char *list_marker(Arena *arena, const char *prefix, const char *name);

#endif

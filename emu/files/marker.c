#include "emu/files/marker.h"

#include <string.h>

#include "emu/http/crypto.h"

/* Names contain no line ends. */
static const char between = '\n';

const char *list_marker(Arena *arena, const char *prefix, const char *name)
{
    const char *text = arena_printf(arena, "%s%c%s", prefix, between, name);
    return base64_encode(arena, text, strlen(text));
}

bool list_page_read(FilesCall *call, ListPage *page)
{
    const char *prefix = http_query(call->request, "prefix");
    const char *marker = http_query(call->request, "marker");
    *page = (ListPage){.prefix = prefix ? prefix : "", .after = "", .marker = marker ? marker : ""};
    if (*page->marker == '\0')
        return true;
    size_t length;
    const unsigned char *bytes = base64_decode(call->arena, page->marker, &length);
    const char *text = bytes ? arena_strndup(call->arena, (const char *)bytes, length) : NULL;
    const char *line = text && strlen(text) == length ? strchr(text, between) : NULL;
    if (!line)
        return call_refuse_for(call, AZURE_FILES_INVALID_QUERY, "(marker)");
    page->prefix = arena_strndup(call->arena, text, (size_t)(line - text));
    page->after = line + 1;
    return true;
}

void list_page_write(FilesCall *call, XmlWriter *xml, const ListPage *page)
{
    const char *max = http_query(call->request, "maxresults");
    if (*page->prefix)
        call_write_name(call, xml, "Prefix", page->prefix);
    xml_text(xml, "Marker", page->marker);
    if (max && *max)
        xml_text(xml, "MaxResults", max);
}

/* Any bytes as the XML body of a request to Azure Files: what is read has no document type and is
 * not deep, and written out and read again it is the same. */
#include <stdint.h>
#include <string.h>

#include "emu/files/xml.h"
#include "sim/base/invariant.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_depth(const XmlNode *node, int depth)
{
    invariant(depth <= XML_DEPTH_MAX && *node->name);
    invariant(node->text && (!node->first || !*node->text));
    for (const XmlNode *child = node->first; child; child = child->next)
        check_depth(child, depth + 1);
}

static const char *written(Arena *arena, const XmlNode *node, size_t *length)
{
    XmlWriter *xml = xml_begin(arena, "root");
    xml_copy(xml, node);
    return xml_finish(xml, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_create();
    const XmlNode *node = xml_read(arena, (const char *)data, size);
    if (node) {
        check_depth(node, 1);
        size_t length, again;
        const char *text = written(arena, node, &length);
        // One element deeper, and longer by its escapes: it need not be read again.
        const XmlNode *back = xml_read(arena, text, length);
        if (back)
            invariant(strcmp(written(arena, back->first, &again), text) == 0);
    }
    arena_destroy(arena);
    return 0;
}

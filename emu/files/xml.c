#include "emu/files/xml.h"

#include <inttypes.h>
#include <libxml/parser.h>
#include <libxml/xmlwriter.h>
#include <stdio.h>
#include <string.h>
#include <unistr.h>

#include "sim/base/invariant.h"
#include "sim/base/text.h"

/* --- Writing --- */

struct XmlWriter {
    Arena *arena;
    xmlBuffer *buffer;
    xmlTextWriter *writer;
};

/* Writing into memory only fails if there is no more of it. */
static void wrote(int result)
{
    invariant(result >= 0);
}

XmlWriter *xml_begin(Arena *arena, const char *root)
{
    XmlWriter *xml = ARENA_NEW(arena, XmlWriter);
    xml->arena = arena;
    xml->buffer = xmlBufferCreate();
    xml->writer = xml->buffer ? xmlNewTextWriterMemory(xml->buffer, 0) : NULL;
    invariant(xml->writer != NULL);
    wrote(xmlTextWriterStartDocument(xml->writer, NULL, "utf-8", NULL));
    xml_open(xml, root);
    return xml;
}

void xml_open(XmlWriter *xml, const char *name)
{
    wrote(xmlTextWriterStartElement(xml->writer, BAD_CAST name));
}

void xml_close(XmlWriter *xml)
{
    wrote(xmlTextWriterEndElement(xml->writer));
}

/* XML 1.0, production 2. */
static bool is_character(ucs4_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0xd800) ||
           (c >= 0xe000 && c < 0xfffe) || c >= 0x10000;
}

/* `text` itself if XML can hold it, else a copy in `room`. */
static const char *clean(const char *text, Text *room)
{
    const uint8_t *at = (const uint8_t *)text, *end = at + strlen(text);
    bool is_clean = true;
    while (at < end) {
        ucs4_t character;
        const int taken = u8_mbtoucr(&character, at, (size_t)(end - at));
        if (taken > 0 && is_character(character)) {
            text_append(room, (const char *)at, (size_t)taken);
            at += taken;
            continue;
        }
        is_clean = false;
        text_add(room, "\xef\xbf\xbd");
        at += taken > 0 ? taken : 1;
    }
    return is_clean ? text : text_string(room);
}

void xml_attribute(XmlWriter *xml, const char *name, const char *value)
{
    Text room = {0};
    const char *cleaned = clean(value, &room);
    wrote(xmlTextWriterWriteAttribute(xml->writer, BAD_CAST name, BAD_CAST cleaned));
    text_free(&room);
}

void xml_text(XmlWriter *xml, const char *name, const char *text)
{
    Text room = {0};
    const char *cleaned = clean(text, &room);
    wrote(xmlTextWriterWriteElement(xml->writer, BAD_CAST name, BAD_CAST cleaned));
    text_free(&room);
}

void xml_encoded(XmlWriter *xml, const char *name, const char *text)
{
    xml_open(xml, name);
    xml_attribute(xml, "Encoded", "true");
    wrote(xmlTextWriterWriteString(xml->writer, BAD_CAST text));
    xml_close(xml);
}

bool xml_can_hold(const char *text)
{
    Text room = {0};
    const bool is_clean = clean(text, &room) == text;
    text_free(&room);
    return is_clean;
}

void xml_number(XmlWriter *xml, const char *name, int64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, number);
    xml_text(xml, name, text);
}

const char *xml_finish(XmlWriter *xml, size_t *length)
{
    wrote(xmlTextWriterEndDocument(xml->writer));
    xmlFreeTextWriter(xml->writer); // flushes
    *length = (size_t)xmlBufferLength(xml->buffer);
    const char *document =
        arena_strndup(xml->arena, (const char *)xmlBufferContent(xml->buffer), *length);
    xmlBufferFree(xml->buffer);
    return document;
}

void xml_copy(XmlWriter *xml, const XmlNode *node)
{
    if (!node->first) {
        xml_text(xml, node->name, node->text);
        return;
    }
    xml_open(xml, node->name);
    for (const XmlNode *child = node->first; child; child = child->next)
        xml_copy(xml, child);
    xml_close(xml);
}

/* --- Reading --- */

/* Stops at a document type, which could define entities. */
static void refuse_type(void *context, const xmlChar *name, const xmlChar *external,
                        const xmlChar *system)
{
    (void)name;
    (void)external;
    (void)system;
    xmlStopParser(context);
}

/* NULL if it is deeper than `depth`. */
static XmlNode *take(Arena *arena, const xmlNode *from, int32_t depth)
{
    if (depth == 0)
        return NULL;
    XmlNode *node = ARENA_NEW(arena, XmlNode);
    node->name = arena_strdup(arena, (const char *)from->name);
    const XmlNode **next = &node->first;
    for (const xmlNode *child = from->children; child; child = child->next) {
        if (child->type != XML_ELEMENT_NODE)
            continue;
        XmlNode *taken = take(arena, child, depth - 1);
        if (!taken)
            return NULL;
        *next = taken;
        next = &taken->next;
    }
    xmlChar *text = node->first ? NULL : xmlNodeGetContent(from);
    node->text = text ? arena_strdup(arena, (const char *)text) : "";
    xmlFree(text);
    return node;
}

const XmlNode *xml_read(Arena *arena, const char *bytes, size_t length)
{
    if (length == 0 || length > XML_BYTES_MAX)
        return NULL;
    xmlParserCtxt *context = xmlNewParserCtxt();
    invariant(context != NULL);
    context->sax->internalSubset = refuse_type;
    // The protocol is UTF-8, whatever encoding the document declares.
    xmlDoc *document = xmlCtxtReadMemory(context, bytes, (int)length, NULL, "UTF-8",
                                         XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                             XML_PARSE_NOBLANKS);
    const xmlNode *root = document ? xmlDocGetRootElement(document) : NULL;
    const bool is_well_formed = context->wellFormed && root;
    const XmlNode *node = is_well_formed ? take(arena, root, XML_DEPTH_MAX) : NULL;
    xmlFreeDoc(document);
    xmlFreeParserCtxt(context);
    return node;
}

const XmlNode *xml_child(const XmlNode *node, const char *name)
{
    for (const XmlNode *child = node ? node->first : NULL; child; child = child->next)
        if (strcmp(child->name, name) == 0)
            return child;
    return NULL;
}

const char *xml_child_text(const XmlNode *node, const char *name)
{
    const XmlNode *child = xml_child(node, name);
    return child ? child->text : NULL;
}

/* Writes and reads the XML of Azure Files with libxml2, which no other file uses.
 *
 * Reading is for small bodies: no document types, hence no entities except the five of XML, no
 * network, and limits on size and depth. */
#ifndef EMU_FILES_XML_H
#define EMU_FILES_XML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/arena.h"

/* --- Writing --- */

typedef struct XmlWriter XmlWriter;

/* Begins a document with the outermost element `root`; xml_finish ends it. */
XmlWriter *xml_begin(Arena *arena, const char *root);
void xml_attribute(XmlWriter *xml, const char *name, const char *value); /* of the open element */
void xml_open(XmlWriter *xml, const char *name);
void xml_close(XmlWriter *xml);
/* Writes <name>text</name>. Characters that XML cannot hold, and broken UTF-8, become U+FFFD. */
void xml_text(XmlWriter *xml, const char *name, const char *text);
/* Writes <name Encoded="true">text</name> for a text that is percent-encoded because XML cannot
 * hold it. */
void xml_encoded(XmlWriter *xml, const char *name, const char *text);
/* Whether XML can hold all characters of a text. */
bool xml_can_hold(const char *text);
void xml_number(XmlWriter *xml, const char *name, int64_t number);
/* Closes all elements and returns the document, in the arena. */
const char *xml_finish(XmlWriter *xml, size_t *length);

/* --- Reading --- */

enum { XML_BYTES_MAX = 64 << 10, XML_DEPTH_MAX = 8 };

typedef struct XmlNode XmlNode;
struct XmlNode {
    const char *name;
    const char *text; /* of an element without child elements, "" if empty */
    const XmlNode *first;
    const XmlNode *next;
};

/* The outermost element; NULL if the text is not XML, too large, too deep, or has a document type.
 */
const XmlNode *xml_read(Arena *arena, const char *bytes, size_t length);
const XmlNode *xml_child(const XmlNode *node, const char *name); /* NULL if there is none */
const char *xml_child_text(const XmlNode *node, const char *name);
/* Writes the element with its contents unchanged. */
void xml_copy(XmlWriter *xml, const XmlNode *node);

#endif

/* The XML of Azure Files, written and read by libxml2, which is seen here alone.
 *
 * Reading is for small bodies: no document types, hence no entities but the five of XML, nothing
 * fetched, and limits on size and depth. */
#ifndef EMU_FILES_XML_H
#define EMU_FILES_XML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/arena.h"

/* --- Writing --- */

typedef struct XmlWriter XmlWriter;

/* A document whose outermost element is `root`; ends with xml_finish. */
XmlWriter *xml_begin(Arena *arena, const char *root);
void xml_attribute(XmlWriter *xml, const char *name, const char *value); /* of the open element */
void xml_open(XmlWriter *xml, const char *name);
void xml_close(XmlWriter *xml);
/* <name>text</name>. What XML cannot hold, and broken UTF-8, becomes U+FFFD. */
void xml_text(XmlWriter *xml, const char *name, const char *text);
/* <name Encoded="true">text</name>: what was percent-encoded because XML cannot hold it. */
void xml_encoded(XmlWriter *xml, const char *name, const char *text);
/* Whether XML can hold all characters of a text. */
bool xml_can_hold(const char *text);
void xml_number(XmlWriter *xml, const char *name, int64_t number);
/* Closes everything; the document is in the arena. */
const char *xml_finish(XmlWriter *xml, size_t *length);

/* --- Reading --- */

enum { XML_BYTES_MAX = 64 << 10, XML_DEPTH_MAX = 8 };

typedef struct XmlNode XmlNode;
struct XmlNode {
    const char *name;
    const char *text; /* of an element without others inside, "" for none */
    const XmlNode *first;
    const XmlNode *next;
};

/* The outermost element, or NULL when it is no XML, too large, too deep, or has a document type. */
const XmlNode *xml_read(Arena *arena, const char *bytes, size_t length);
const XmlNode *xml_child(const XmlNode *node, const char *name); /* NULL: none */
const char *xml_child_text(const XmlNode *node, const char *name);
/* The element with all in it, as it was read. */
void xml_copy(XmlWriter *xml, const XmlNode *node);

#endif

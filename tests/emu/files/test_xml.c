/* emu/files/xml.h: what is written reads back; what could do harm is not read. */
#include <check.h>
#include <string.h>

#include "emu/files/xml.h"
#include "tests/support/suite.h"

static Arena *arena;

static void set_up(void)
{
    arena = arena_create();
}

static void tear_down(void)
{
    arena_destroy(arena);
}

static const XmlNode *read_text(const char *text)
{
    return xml_read(arena, text, strlen(text));
}

START_TEST(a_document_has_elements_attributes_and_escapes)
{
    XmlWriter *xml = xml_begin(arena, "EnumerationResults");
    xml_attribute(xml, "ServiceEndpoint", "http://x/?a=\"1\"&b");
    xml_open(xml, "Shares");
    xml_text(xml, "Name", "a<b>&c");
    xml_number(xml, "Quota", 5120);
    xml_close(xml);
    xml_text(xml, "NextMarker", "");
    size_t length;
    const char *text = xml_finish(xml, &length);
    ck_assert_str_eq(text,
                     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<EnumerationResults ServiceEndpoint=\"http://x/?a=&quot;1&quot;&amp;b\">"
                     "<Shares><Name>a&lt;b&gt;&amp;c</Name><Quota>5120</Quota></Shares>"
                     "<NextMarker></NextMarker></EnumerationResults>\n");
    ck_assert_uint_eq(length, strlen(text));
    const XmlNode *back = read_text(text);
    ck_assert_ptr_nonnull(back);
    ck_assert_str_eq(xml_child_text(xml_child(back, "Shares"), "Name"), "a<b>&c");
    ck_assert_str_eq(xml_child_text(back, "NextMarker"), "");
    ck_assert_ptr_null(xml_child_text(back, "Missing"));
}
END_TEST

START_TEST(characters_that_xml_cannot_contain_are_replaced)
{
    XmlWriter *xml = xml_begin(arena, "a");
    xml_text(xml, "b", "x\x01\xffy\xef\xbf\xbf\xc3\xbc");
    size_t length;
    const XmlNode *back = read_text(xml_finish(xml, &length));
    ck_assert_ptr_nonnull(back);
    ck_assert_str_eq(xml_child_text(back, "b"), "x\xef\xbf\xbd\xef\xbf\xbdy\xef\xbf\xbd\xc3\xbc");
}
END_TEST

START_TEST(the_copy_has_the_content_that_was_read)
{
    const XmlNode *read = read_text("<a> <b>1</b>\n<c><d>2 &lt;</d><d/></c></a>");
    ck_assert_ptr_nonnull(read);
    XmlWriter *xml = xml_begin(arena, "root");
    xml_copy(xml, read);
    size_t length;
    ck_assert_str_eq(strchr(xml_finish(xml, &length), '\n'),
                     "\n<root><a><b>1</b><c><d>2 &lt;</d><d></d></c></a></root>\n");
}
END_TEST

START_TEST(text_comes_from_all_its_pieces)
{
    const XmlNode *read = read_text("<a>x<!-- no --><![CDATA[<y>]]>&amp;</a>");
    ck_assert_ptr_nonnull(read);
    ck_assert_str_eq(read->text, "x<y>&");
}
END_TEST

START_TEST(malformed_or_harmful_xml_is_refused)
{
    static const char *const bad[] = {
        "",
        " ",
        "no xml",
        "<a>",
        "<a></b>",
        "<a/><b/>",
        "<a>\xff</a>",
        "<a>&b;</a>",
        "<!DOCTYPE a><a/>",
        "<!DOCTYPE a SYSTEM \"http://127.0.0.1:1/x\"><a/>",
        "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
        "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>",
        "<a><a><a><a><a><a><a><a><a/></a></a></a></a></a></a></a></a>", // nine deep
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!read_text(bad[i]), "%s", bad[i]);
    char *large = arena_alloc(arena, XML_BYTES_MAX + 20);
    memset(large, ' ', XML_BYTES_MAX + 1);
    memcpy(large, "<a/>", 4);
    ck_assert_ptr_null(xml_read(arena, large, XML_BYTES_MAX + 1));
    ck_assert_ptr_nonnull(xml_read(arena, large, XML_BYTES_MAX));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("files_xml");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_document_has_elements_attributes_and_escapes);
    tcase_add_test(tests, characters_that_xml_cannot_contain_are_replaced);
    tcase_add_test(tests, the_copy_has_the_content_that_was_read);
    tcase_add_test(tests, text_comes_from_all_its_pieces);
    tcase_add_test(tests, malformed_or_harmful_xml_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}

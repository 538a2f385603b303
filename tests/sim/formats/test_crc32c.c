#include "sim/formats/crc32c.h"

#include <string.h>

#include "tests/support/suite.h"

START_TEST(published_values_are_reproduced)
{
    // RFC 3720, section B.4, and the check value of the catalogue of checksums.
    static const struct {
        const char *bytes;
        size_t length;
        uint32_t crc;
    } rows[] = {
        {"", 0, 0},
        {"123456789", 9, 0xE3069283},
        {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 32, 0x8A9136AA},
        {"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15"
         "\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f",
         32, 0x46DD794E},
    };
    Crc32c crc;
    crc32c_prepare(&crc);
    char ones[32], descending[32];
    memset(ones, 0xff, sizeof ones);
    for (int i = 0; i < 32; i++)
        descending[i] = (char)(31 - i);
    ck_assert_uint_eq(crc32c_of(&crc, ones, sizeof ones), 0x62a8ab43);
    ck_assert_uint_eq(crc32c_of(&crc, descending, sizeof descending), 0x113fdb5c);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_uint_eq(crc32c_of(&crc, rows[i].bytes, rows[i].length), rows[i].crc);
}
END_TEST

START_TEST(each_changed_bit_changes_the_checksum)
{
    char line[] = "0\t7\t8\te21b3b6f00c1a5d2\t12.5\t>=3600\tunknown";
    const size_t length = strlen(line);
    Crc32c crc;
    crc32c_prepare(&crc);
    const uint32_t right = crc32c_of(&crc, line, length);
    for (size_t bit = 0; bit < 8 * length; bit++) {
        line[bit / 8] = (char)(line[bit / 8] ^ (1 << bit % 8));
        ck_assert_uint_ne(crc32c_of(&crc, line, length), right);
        line[bit / 8] = (char)(line[bit / 8] ^ (1 << bit % 8));
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("crc32c");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, published_values_are_reproduced);
    tcase_add_test(tests, each_changed_bit_changes_the_checksum);
    suite_add_tcase(suite, tests);
    return suite;
}

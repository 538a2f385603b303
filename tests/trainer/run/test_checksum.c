#include "trainer/run/checksum.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/suite.h"

/* Writes "before", the mark, "after" and a NUL, with a valid checksum; returns the length. */
static size_t write_with_checksum(char *bytes, size_t size)
{
    size_t length = (size_t)snprintf(bytes, size, "before %s after", checksum_blank) + 1;
    ck_assert_uint_le(length, size);
    checksum_fill(bytes, length);
    return length;
}

START_TEST(any_changed_byte_breaks_the_checksum)
{
    char bytes[100];
    const size_t length = write_with_checksum(bytes, sizeof bytes);
    ck_assert(checksum_holds(bytes, length));
    for (size_t i = 0; i < length; i++)
        for (int change = 1; change < 256; change++) {
            bytes[i] = (char)(bytes[i] ^ change);
            ck_assert_msg(!checksum_holds(bytes, length), "byte %zu", i);
            bytes[i] = (char)(bytes[i] ^ change);
        }
    ck_assert(checksum_holds(bytes, length));
}
END_TEST

START_TEST(another_length_breaks_the_checksum)
{
    char bytes[100] = {0};
    const size_t length = write_with_checksum(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        ck_assert(checksum_holds(bytes, i) == (i == length));
}
END_TEST

START_TEST(a_known_checksum_is_reproduced)
{
    // FNV-1a of "trainyard fnv1a-64 0000000000000000", computed in Python.
    char bytes[64];
    memcpy(bytes, checksum_blank, strlen(checksum_blank) + 1);
    checksum_fill(bytes, strlen(bytes));
    ck_assert_str_eq(bytes, "trainyard fnv1a-64 18ec90b469225a66");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("checksum");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, any_changed_byte_breaks_the_checksum);
    tcase_add_test(tests, another_length_breaks_the_checksum);
    tcase_add_test(tests, a_known_checksum_is_reproduced);
    suite_add_tcase(suite, tests);
    return suite;
}

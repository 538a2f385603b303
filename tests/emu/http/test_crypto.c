/* emu/http/crypto.h: by the vectors of the standards that define it. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "emu/http/crypto.h"
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

static const char *hex(const unsigned char *bytes, size_t length)
{
    char *text = arena_alloc(arena, 2 * length + 1);
    for (size_t i = 0; i < length; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return text;
}

START_TEST(digests_are_those_of_the_standards)
{
    unsigned char digest[SHA256_BYTES];
    crypto_sha256("abc", 3, digest); // FIPS 180-4
    ck_assert_str_eq(hex(digest, SHA256_BYTES),
                     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    crypto_md5("abc", 3, digest); // RFC 1321, A.5
    ck_assert_str_eq(hex(digest, MD5_BYTES), "900150983cd24fb0d6963f7d28e17f72");
    crypto_hmac_sha256("Jefe", 4, "what do ya want for nothing?", 28, digest); // RFC 4231, 4.3
    ck_assert_str_eq(hex(digest, SHA256_BYTES),
                     "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    ck_assert(crypto_crc64("123456789", 9) == UINT64_C(0xae8b14860a799888)); // its check value
}
END_TEST

START_TEST(base64_is_that_of_the_rfc)
{
    static const struct {
        const char *bytes, *text;
    } rows[] = {{"", ""},
                {"f", "Zg=="},
                {"fo", "Zm8="},
                {"foo", "Zm9v"},
                {"foob", "Zm9vYg=="},
                {"fooba", "Zm9vYmE="},
                {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t length;
        ck_assert_str_eq(base64_encode(arena, rows[i].bytes, strlen(rows[i].bytes)), rows[i].text);
        const unsigned char *back = base64_decode(arena, rows[i].text, &length);
        ck_assert_ptr_nonnull(back);
        ck_assert_uint_eq(length, strlen(rows[i].bytes));
        ck_assert_mem_eq(back, rows[i].bytes, length);
    }
}
END_TEST

START_TEST(every_byte_survives_base64)
{
    unsigned char bytes[256];
    for (int i = 0; i < 256; i++)
        bytes[i] = (unsigned char)i;
    for (size_t length = 0; length <= sizeof bytes; length++) {
        size_t back_length;
        const unsigned char *back =
            base64_decode(arena, base64_encode(arena, bytes, length), &back_length);
        ck_assert_ptr_nonnull(back);
        ck_assert_uint_eq(back_length, length);
        ck_assert_mem_eq(back, bytes, length);
    }
}
END_TEST

START_TEST(there_is_one_base64_form_for_each_text)
{
    static const char *const bad[] = {"Z",      "Zg",   "Zg=",        "Zh==", "Zm9=",     "Zm9v ",
                                      "Zm9v\n", "====", "=",          "Z===", "Zg==Zg==", "Zm-v",
                                      "Zm_v",   "Zg=a", "\xc3\xbcZg", " Zg="};
    size_t length;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!base64_decode(arena, bad[i], &length), "%s", bad[i]);
}
END_TEST

START_TEST(blocks_are_equal_or_not)
{
    ck_assert(crypto_equal("abc", "abc", 3));
    ck_assert(!crypto_equal("abc", "abd", 3));
    ck_assert(!crypto_equal("abc", "bbc", 3));
}
END_TEST

START_TEST(random_bytes_differ)
{
    unsigned char first[32] = {0}, second[32] = {0};
    Status status = {0};
    ck_assert(crypto_random(first, sizeof first, &status));
    ck_assert(crypto_random(second, sizeof second, &status));
    ck_assert(!crypto_equal(first, second, sizeof first));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("crypto");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, digests_are_those_of_the_standards);
    tcase_add_test(tests, base64_is_that_of_the_rfc);
    tcase_add_test(tests, every_byte_survives_base64);
    tcase_add_test(tests, there_is_one_base64_form_for_each_text);
    tcase_add_test(tests, blocks_are_equal_or_not);
    tcase_add_test(tests, random_bytes_differ);
    suite_add_tcase(suite, tests);
    return suite;
}

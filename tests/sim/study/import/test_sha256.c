#include "sim/study/import/sha256.h"

#include <string.h>

#include "sim/base/arena.h"
#include "tests/support/suite.h"

/* Examples of FIPS 180-2, appendix B, and of the empty text. */
START_TEST(the_vectors_of_fips_180_are_reproduced)
{
    static const char *const rows[][2] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    char text[SHA256_TEXT];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sha256_text(rows[i][0], strlen(rows[i][0]), text);
        ck_assert_str_eq(text, rows[i][1]);
    }
}
END_TEST

START_TEST(a_million_letters_have_their_digest)
{
    enum { MILLION = 1000000 };
    Arena *arena = arena_create();
    char *letters = arena_alloc(arena, MILLION), text[SHA256_TEXT];
    memset(letters, 'a', MILLION);
    sha256_text(letters, MILLION, text);
    ck_assert_str_eq(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    arena_destroy(arena);
}
END_TEST

Suite *test_suite(void)
{
    TCase *cases = tcase_create("sha256");
    tcase_add_test(cases, the_vectors_of_fips_180_are_reproduced);
    tcase_add_test(cases, a_million_letters_have_their_digest);
    Suite *suite = suite_create("sha256");
    suite_add_tcase(suite, cases);
    return suite;
}

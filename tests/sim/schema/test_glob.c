#include <stddef.h>
#include <string.h>

#include "sim/schema/glob.h"
#include "tests/support/suite.h"

START_TEST(a_glob_covers_the_whole_text)
{
    static const struct {
        const char *pattern, *text;
        bool matches;
    } rows[] = {
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"*", "any/thing", true},
        {"a", "a", true},
        {"a", "ab", false},
        {"a", "A", false},
        {"?", "a", true},
        {"?", "", false},
        {"?", "ab", false},
        {"a*c", "abbbc", true},
        {"a*c", "abbbcd", false},
        {"a*c", "ac", true},
        {"*ab", "aab", true},  // the star takes one byte more after "a" fails
        {"*ab", "abab", true}, // and once more after "ab" is not the end
        {"*a*b", "xaxxb", true},
        {"*a*b", "xbxxa", false},
        {"a**b", "ab", true},
        {"*/train.py", "python /mnt/train.py", true},
        {"*/train.py", "python /mnt/train.py --fast", false},
        {"*pip install*horovod*", "apt update; pip install keras horovod", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_msg(glob_matches(rows[i].pattern, rows[i].text) == rows[i].matches,
                      "\"%s\" on \"%s\"", rows[i].pattern, rows[i].text);
}
END_TEST

START_TEST(many_stars_do_not_take_exponential_time)
{
    // A matcher that tries every split of 4000 letters between 200 stars would never end.
    char pattern[402], text[4001];
    for (int i = 0; i < 400; i += 2)
        memcpy(pattern + i, "*a", 2);
    memcpy(pattern + 400, "b", 2);
    memset(text, 'a', 4000);
    text[4000] = '\0';
    ck_assert(!glob_matches(pattern, text));
}
END_TEST

/* The definition as a recursion, one byte at a time. */
static bool matches_by_definition(const char *pattern, const char *text)
{
    if (*pattern == '*')
        return matches_by_definition(pattern + 1, text) ||
               (*text && matches_by_definition(pattern, text + 1));
    if (*pattern == '\0' || *text == '\0')
        return *pattern == *text;
    return (*pattern == '?' || *pattern == *text) && matches_by_definition(pattern + 1, text + 1);
}

/* Writes the word number `index` of `length` letters of `alphabet`. */
static void word_write(char *word, int length, const char *alphabet, int index)
{
    int letters = (int)strlen(alphabet);
    for (int i = 0; i < length; i++, index /= letters)
        word[i] = alphabet[index % letters];
    word[length] = '\0';
}

START_TEST(all_short_patterns_agree_with_the_definition)
{
    // 4^5 patterns of "ab*?" on 2^5 texts of "ab"; shorter ones are covered by stars.
    char pattern[6], text[6];
    for (int i = 0; i < 1024; i++) {
        word_write(pattern, 5, "ab*?", i);
        for (int j = 0; j < 32; j++) {
            word_write(text, 5, "ab", j);
            ck_assert_msg(glob_matches(pattern, text) == matches_by_definition(pattern, text),
                          "\"%s\" on \"%s\"", pattern, text);
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("glob");
    TCase *cases = tcase_create("glob");
    tcase_add_test(cases, a_glob_covers_the_whole_text);
    tcase_add_test(cases, many_stars_do_not_take_exponential_time);
    tcase_add_test(cases, all_short_patterns_agree_with_the_definition);
    suite_add_tcase(suite, cases);
    return suite;
}

#include "sim/scenario/config/unknown_program.h"

#include "tests/support/suite.h"

START_TEST(a_line_of_tools_is_told_from_a_program)
{
    static const struct {
        const char *line;
        bool is_of_tools;
    } rows[] = {
        {"df -h", true},
        {"df | grep -E 'a|b;c'", true},
        {"ssh 10.0.0.4 echo done && ls /tmp > /dev/null 2>&1", true},
        {"ssh -o StrictHostKeyChecking=no -p 23 10.0.0.4 'echo done'", false}, // one quoted word
        {"ssh -p 23 10.0.0.4 hostname", true},
        {"ssh 10.0.0.4 python x.py", false},
        {"if [ -f x ]; then cat x; fi", true},
        {"A=1 B=2 env", true},
        {"/usr/bin/nvidia-smi", true},
        {"echo $(hostname)", true},
        {"python train.py", false},
        {"df; python train.py", false},
        {"ls | xargs python", false},
        {"sleep 5", false},
        {"", false},
        {"   ", false},
        {"A=1", false},
        {"echo 'not closed", true},
        {"< file cat", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(is_line_of_tools(rows[i].line) == rows[i].is_of_tools, "%s", rows[i].line);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("unknown_program");
    TCase *tests = tcase_create("unknown_program");
    tcase_add_test(tests, a_line_of_tools_is_told_from_a_program);
    suite_add_tcase(suite, tests);
    return suite;
}

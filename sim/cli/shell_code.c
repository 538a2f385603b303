#include "sim/cli/shell_code.h"

#include <string.h>

const char *const code_shell_names[] = {
#define X(name, text) [CODE_##name] = (text),
    CODE_SHELLS(X)
#undef X
        [CODE_SHELL_COUNT] = NULL};

// `set -e` does not end the shell after a command that begins with '!'.
#define OF_SH                                                                                      \
    {                                                                                              \
        "export ", "=", "unset ", "'\\''", "! :\n", "false ", ":\n"                                \
    }

static const struct {
    const char *set, *equals, *unset, *quote, *more, *fail, *succeed;
} words[CODE_SHELL_COUNT] = {
    [CODE_SH] = OF_SH,
    [CODE_BASH] = OF_SH,
    [CODE_ZSH] = OF_SH,
    // `set` leaves the status unchanged, so success must be explicit.
    [CODE_FISH] = {"set -gx ", " ", "set -e ", "\\'", "false\n", "false ", "true\n"},
    [CODE_POWERSHELL] = {"$env:", " = ", "Remove-Item -ErrorAction Ignore Env:", "''", "", "throw ",
                         ""},
};

CodeShell code_shell_of(int argc, char **argv)
{
    static const char option[] = "--shell=";
    CodeShell shell = CODE_SH;
    for (int i = 1; i < argc; i++) {
        const char *value = NULL;
        if (strncmp(argv[i], option, sizeof option - 1) == 0)
            value = argv[i] + sizeof option - 1;
        else if (strcmp(argv[i], "--shell") == 0 && i + 1 < argc)
            value = argv[i + 1];
        for (int known = 0; value && known < CODE_SHELL_COUNT; known++)
            if (strcmp(value, code_shell_names[known]) == 0)
                shell = (CodeShell)known;
    }
    return shell;
}

void code_quote(const char *text, CodeShell shell, Text *out)
{
    text_add(out, "'");
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            text_add(out, words[shell].quote);
        else if (*text == '\\' && shell == CODE_FISH)
            text_add(out, "\\\\");
        else
            text_append(out, text, 1);
    }
    text_add(out, "'");
}

void code_word(const char *text, CodeShell shell, Text *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./=:,+%";
    if (text[0] != '\0' && strspn(text, plain) == strlen(text))
        text_add(out, text);
    else
        code_quote(text, shell, out);
}

void code_set(CodeShell shell, const char *name, const char *value, Text *out)
{
    text_printf(out, "%s%s%s", words[shell].set, name, words[shell].equals);
    code_quote(value, shell, out);
    text_add(out, "\n");
}

void code_unset(CodeShell shell, const char *name, Text *out)
{
    text_printf(out, "%s%s\n", words[shell].unset, name);
}

void code_expect_more(CodeShell shell, Text *out)
{
    text_add(out, words[shell].more);
}

void code_fail(CodeShell shell, const char *reason, Text *out)
{
    text_add(out, words[shell].fail);
    code_quote(reason, shell, out);
    text_add(out, "\n");
}

void code_succeed(CodeShell shell, Text *out)
{
    text_add(out, words[shell].succeed);
}

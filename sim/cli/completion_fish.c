/* Private to sim/cli: the script for fish (sim/cli/completion.h). */
#include "sim/cli/completion.h"
#include "sim/cli/shell_code.h"

static const char frame_begin[] =
    "# fish completion for trainyard: trainyard completion fish | source, or this file as\n"
    "# trainyard.fish in a folder of $fish_complete_path\n"
    "function __trainyard_first\n"
    "    test (count (commandline -opc)) -eq 1\n"
    "end\n"
    "function __trainyard_verb\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -ge 2; and contains -- $words[2] $argv\n"
    "end\n"
    "function __trainyard_other_verb\n"
    "    not __trainyard_first; and not __trainyard_verb help $argv\n"
    "end\n"
    "function __trainyard_programs\n"
    "    complete -C trainyard- | string match -r '^trainyard-\\S+' | string replace trainyard- "
    "''\n"
    "end\n"
    "complete -c trainyard -f\n";

static void add_quoted(const char *text, Text *out)
{
    code_quote(text, CODE_FISH, out);
}

static void add_words(const char *const *words, Text *out)
{
    Text joined = {0};
    for (int32_t i = 0; words && words[i]; i++)
        text_printf(&joined, "%s%s", i > 0 ? " " : "", words[i]);
    add_quoted(text_string(&joined), out);
    text_free(&joined);
}

/* `complete -c trainyard -n '__trainyard_verb run' -s o -l output -r -F -d '...'` */
static void add_option(const OptionTable *table, const Field *option, Text *out)
{
    static const char *const offers[] = {
        [OFFER_NO_VALUE] = "",     [OFFER_NOTHING] = " -x",
        [OFFER_FILES] = " -r -F",  [OFFER_FOLDERS] = " -x -a '(__fish_complete_directories)'",
        [OFFER_WORDS] = " -x -a ",
    };
    const CompletionOffer offer = completion_offer(option);
    text_printf(out, "complete -c trainyard -n '__trainyard_verb %s'", table->name);
    if (option->letter)
        text_printf(out, " -s %c", option->letter);
    text_printf(out, " -l %s%s", option->name, offers[offer]);
    if (offer == OFFER_WORDS)
        add_words(option->choices, out);
    if (option->doc) {
        text_add(out, " -d ");
        add_quoted(option->doc, out);
    }
    text_add(out, "\n");
}

static void add_operands(const OptionTable *table, Text *out)
{
    text_printf(out, "complete -c trainyard -n '__trainyard_verb %s'", table->name);
    if (table->operand_kind == OPERANDS_FILES)
        text_add(out, " -F");
    else if (table->operand_kind == OPERANDS_FOLDERS)
        text_add(out, " -a '(__fish_complete_directories)'");
    else {
        text_add(out, " -a ");
        add_words(table->operand_words, out);
    }
    text_add(out, "\n");
}

static void add_verb(const char *name, const char *summary, Text *out)
{
    text_printf(out, "complete -c trainyard -n '__trainyard_first; or __trainyard_verb help' -a %s",
                name);
    if (summary) {
        text_add(out, " -d ");
        add_quoted(summary, out);
    }
    text_add(out, "\n");
}

void completion_fish(const OptionTable *const *tables, int32_t count, Text *out)
{
    text_add(out, frame_begin);
    text_add(out, "complete -c trainyard -n __trainyard_first -s h -l help -d explain\n"
                  "complete -c trainyard -n __trainyard_first -l version -d 'print the version'\n"
                  "complete -c trainyard -n __trainyard_first -a '(__trainyard_programs)'\n");
    for (int32_t i = 0; i < count; i++)
        add_verb(tables[i]->name, tables[i]->summary, out);
    add_verb("help", "Explains a verb.", out);
    for (int32_t i = 0; i < count; i++) {
        for (const Field *option = tables[i]->options; option && option->name; option++)
            add_option(tables[i], option, out);
        for (const Field *option = common_options; option->name != NULL; option++)
            add_option(tables[i], option, out);
        add_operands(tables[i], out);
    }
    text_add(out, "complete -c trainyard -n '__trainyard_other_verb");
    for (int32_t i = 0; i < count; i++)
        text_printf(out, " %s", tables[i]->name);
    text_add(out, "' -F\n");
}

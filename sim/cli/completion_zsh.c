/* Private to sim/cli: the script for zsh (sim/cli/completion.h). */
#include "sim/cli/completion.h"
#include "sim/cli/shell_code.h"

// The first line is for a file in a folder of $fpath, the last for `eval`. The specifications are
// those of _arguments (zshcompsys(1)).
static const char frame_begin[] = "#compdef trainyard\n"
                                  "# zsh completion for trainyard: eval \"$(trainyard completion "
                                  "zsh)\", or this file as _trainyard\n"
                                  "# in a folder of $fpath\n"
                                  "_trainyard() {\n"
                                  "    local -a verbs\n"
                                  "    verbs=(\n";
static const char frame_middle[] =
    "    )\n"
    "    verbs+=(${${(k)commands[(I)trainyard-*]}#trainyard-})\n"
    "    if (( CURRENT == 2 )) && [[ $words[2] == -* ]]; then\n"
    "        _arguments '(- *)'{-h,--help}'[explain]' '(- *)--version[print the version]'\n"
    "        return\n"
    "    fi\n"
    "    if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then\n"
    "        _describe -t verbs verb verbs\n"
    "        return\n"
    "    fi\n"
    "    local verb=$words[2]\n"
    "    shift words\n"
    "    (( CURRENT-- ))\n"
    "    case $verb in\n";
static const char frame_end[] = "    *) _files ;;\n"
                                "    esac\n"
                                "}\n"
                                "if [[ $funcstack[1] == _trainyard ]]; then\n"
                                "    _trainyard \"$@\"\n"
                                "else\n"
                                "    compdef _trainyard trainyard\n"
                                "fi\n";

/* Adds `text` with the letters of `special` escaped. */
static void add_escaped(const char *text, const char *special, Text *out)
{
    for (; *text != '\0'; text++) {
        for (const char *c = special; *c != '\0'; c++)
            if (*text == *c)
                text_add(out, "\\");
        text_append(out, text, 1);
    }
}

/* An empty message would have another meaning. */
static const char *message(const char *text)
{
    return text && text[0] != '\0' ? text : " ";
}

static void add_quoted(Text *text, Text *out)
{
    code_quote(text_string(text), CODE_ZSH, out);
    text_free(text);
}

static void add_words(const char *const *words, Text *out)
{
    text_add(out, "(");
    for (int32_t i = 0; words && words[i]; i++)
        text_printf(out, "%s%s", i > 0 ? " " : "", words[i]);
    text_add(out, ")");
}

/* `[what it does]:DIR:_directories` */
static void add_option_end(const Field *option, Text *out)
{
    Text end = {0};
    text_add(&end, "[");
    add_escaped(option->doc ? option->doc : "", "[]\\", &end);
    text_add(&end, "]");
    const CompletionOffer offer = completion_offer(option);
    if (offer != OFFER_NO_VALUE) {
        text_add(&end, ":");
        add_escaped(message(option->argument), ":\\", &end);
        text_add(&end, ":");
    }
    switch (offer) {
    case OFFER_NO_VALUE:
        break;
    case OFFER_NOTHING:
        text_add(&end, " ");
        break;
    case OFFER_FILES:
        text_add(&end, "_files");
        break;
    case OFFER_FOLDERS:
        text_add(&end, "_directories");
        break;
    case OFFER_WORDS:
        add_words(option->choices, &end);
        break;
    }
    add_quoted(&end, out);
}

/* `'(-o --output)'{-o+,--output=}'[...]:DIR:_directories'`; '*' before an option that may be
 * repeated. */
static void add_option(const Field *option, Text *out)
{
    const bool has_value = completion_offer(option) != OFFER_NO_VALUE;
    const char *equals = has_value ? "=" : "";
    text_add(out, " \\\n            ");
    if (option->kind == VALUE_TEXTS)
        text_add(out, "'*'");
    else if (option->letter)
        text_printf(out, "'(-%c --%s)'", option->letter, option->name);
    if (option->letter)
        text_printf(out, "{-%c%s,--%s%s}", option->letter, has_value ? "+" : "", option->name,
                    equals);
    else
        text_printf(out, "--%s%s", option->name, equals);
    add_option_end(option, out);
}

static void add_operands(const OptionTable *table, Text *out)
{
    text_add(out, " \\\n            ");
    Text operands = {0};
    text_add(&operands, "*:");
    add_escaped(message(table->operands), ":\\", &operands);
    text_add(&operands, ":");
    if (table->operand_kind == OPERANDS_WORDS)
        add_words(table->operand_words, &operands);
    else
        text_add(&operands, table->operand_kind == OPERANDS_FILES ? "_files" : "_directories");
    add_quoted(&operands, out);
}

static void add_verb(const OptionTable *table, Text *out)
{
    Text verb = {0};
    text_printf(&verb, "%s:", table->name);
    add_escaped(table->summary ? table->summary : "", ":\\", &verb);
    text_add(out, "        ");
    add_quoted(&verb, out);
    text_add(out, "\n");
}

void completion_zsh(const OptionTable *const *tables, int32_t count, Text *out)
{
    text_add(out, frame_begin);
    for (int32_t i = 0; i < count; i++)
        add_verb(tables[i], out);
    text_add(out, "        'help:Explains a verb.'\n");
    text_add(out, frame_middle);
    for (int32_t i = 0; i < count; i++) {
        text_printf(out, "    %s)\n        _arguments -S", tables[i]->name);
        for (const Field *option = tables[i]->options; option && option->name; option++)
            add_option(option, out);
        for (const Field *option = common_options; option->name != NULL; option++)
            add_option(option, out);
        add_operands(tables[i], out);
        text_add(out, "\n        ;;\n");
    }
    text_add(out, frame_end);
}

#include "sim/cli/completion.h"

// The script is a frame of plain bash with two lists, made from the rows of the tables: the words
// that may follow an option, and the other words that a verb takes.
static const char frame_begin[] =
    "# bash completion for trainyard: eval \"$(trainyard completion bash)\"\n"
    "_trainyard_offer() {\n"
    "    case \"$1\" in\n"
    "    words) mapfile -t COMPREPLY < <(compgen -W \"$2\" -- \"$current\") ;;\n"
    "    files | folders)\n"
    "        compopt -o filenames 2> /dev/null\n"
    "        local kind=-f\n"
    "        [[ $1 == folders ]] && kind=-d\n"
    "        mapfile -t COMPREPLY < <(compgen \"$kind\" -- \"$current\")\n"
    "        ;;\n"
    "    esac\n"
    "}\n"
    "_trainyard() {\n"
    "    local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD - 1]}\"\n"
    "    local verb=\"${COMP_WORDS[1]}\"\n"
    "    COMPREPLY=()\n"
    "    if ((COMP_CWORD == 1)); then\n"
    "        verb=help\n"
    "    fi\n"
    "    case \"$verb $previous\" in\n";
static const char frame_middle[] = "    esac\n"
                                   "    case \"$verb $current\" in\n";
static const char frame_end[] = "    *) _trainyard_offer files ;;\n"
                                "    esac\n"
                                "}\n"
                                "complete -F _trainyard trainyard\n";

CompletionOffer completion_offer(const Field *option)
{
    static const CompletionOffer by_kind[] = {
        [VALUE_FLAG] = OFFER_NO_VALUE,    [VALUE_FLAG_OFF] = OFFER_NO_VALUE,
        [VALUE_TEXT] = OFFER_NOTHING,     [VALUE_TEXTS] = OFFER_NOTHING,
        [VALUE_INTEGER] = OFFER_NOTHING,  [VALUE_REAL] = OFFER_NOTHING,
        [VALUE_DURATION] = OFFER_NOTHING, [VALUE_BYTES] = OFFER_NOTHING,
        [VALUE_FILE] = OFFER_FILES,       [VALUE_FOLDER] = OFFER_FOLDERS,
        [VALUE_CHOICE] = OFFER_WORDS,
    };
    return by_kind[option->kind];
}

static const char *const offers[] = {[OFFER_NOTHING] = "nothing",
                                     [OFFER_FILES] = "files",
                                     [OFFER_FOLDERS] = "folders",
                                     [OFFER_WORDS] = "words"};

static const char *const operand_offers[] = {
    [OPERANDS_FILES] = "files", [OPERANDS_FOLDERS] = "folders", [OPERANDS_WORDS] = "words"};

static void add_words(const char *const *words, Text *out)
{
    text_add(out, " \"");
    for (int32_t i = 0; words && words[i]; i++)
        text_printf(out, "%s%s", i > 0 ? " " : "", words[i]);
    text_add(out, "\"");
}

/* `"run --trace" | "run -t") _trainyard_offer words "jobs epochs"; return ;;` */
static void add_option_case(const OptionTable *table, const Field *option, Text *out)
{
    const CompletionOffer offer = completion_offer(option);
    if (offer == OFFER_NO_VALUE)
        return;
    text_printf(out, "    \"%s --%s\"", table->name, option->name);
    if (option->letter)
        text_printf(out, " | \"%s -%c\"", table->name, option->letter);
    text_printf(out, ") _trainyard_offer %s", offers[offer]);
    if (offer == OFFER_WORDS)
        add_words(option->choices, out);
    text_add(out, "; return ;;\n");
}

/* `"run -"*) _trainyard_offer words "--seed --help" ;;` and `"run "*) _trainyard_offer files ;;` */
static void add_verb_cases(const OptionTable *table, Text *out)
{
    text_printf(out, "    \"%s -\"*) _trainyard_offer words \"", table->name);
    for (const Field *option = table->options; option && option->name; option++)
        text_printf(out, "--%s ", option->name);
    text_printf(out, "--color --help\" ;;\n    \"%s \"*) _trainyard_offer %s", table->name,
                operand_offers[table->operand_kind]);
    if (table->operand_kind == OPERANDS_WORDS)
        add_words(table->operand_words, out);
    text_add(out, " ;;\n");
}

/* Adds the cases of the first word and of the word after `help`. Programs called trainyard-VERB are
 * verbs too. */
static void add_first_word_cases(const OptionTable *const *tables, int32_t count, Text *out)
{
    text_add(out, "    \"help -\"*) _trainyard_offer words \"--help --version\" ;;\n"
                  "    \"help \"*) _trainyard_offer words \"");
    for (int32_t i = 0; i < count; i++)
        text_printf(out, "%s ", tables[i]->name);
    text_add(out, "help $(compgen -c trainyard- | cut -d- -f2-)\" ;;\n");
}

void completion_bash(const OptionTable *const *tables, int32_t count, Text *out)
{
    text_add(out, frame_begin);
    for (int32_t i = 0; i < count; i++)
        for (const Field *option = tables[i]->options; option && option->name; option++)
            add_option_case(tables[i], option, out);
    for (int32_t i = 0; i < count; i++)
        for (const Field *option = common_options; option->name; option++)
            add_option_case(tables[i], option, out);
    text_add(out, frame_middle);
    add_first_word_cases(tables, count, out);
    for (int32_t i = 0; i < count; i++)
        add_verb_cases(tables[i], out);
    text_add(out, frame_end);
}

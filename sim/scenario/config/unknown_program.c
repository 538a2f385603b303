#include "sim/scenario/config/unknown_program.h"

#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/format/batchai_types.h"

/* --- Lines of tools --- */

enum { WORD_MAX = 64 };

typedef struct {
    const char *at;
    char word[WORD_MAX]; /* the last word without its quotes; a longer one is cut */
} LineReader;

static bool is_among(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

#define IS_AMONG(word, list) is_among(word, list, sizeof(list) / sizeof(list)[0])

/* Words that may precede a command. */
static bool is_prefix(const char *word)
{
    static const char *const prefixes[] = {"!",  "{",    "}",  "do",   "done", "elif",
                                           "fi", "else", "if", "sudo", "then", "time"};
    size_t letters = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    return IS_AMONG(word, prefixes) || (letters > 0 && word[letters] == '=');
}

/* Programs that read a state and print it, and built-in commands of the shell without `sleep`. */
static bool is_tool(const char *word)
{
    static const char *const tools[] = {
        ":",       "[",     "awk",   "basename",    "cat",    "cd",         "chmod",
        "cp",      "cut",   "date",  "df",          "diff",   "dirname",    "du",
        "echo",    "egrep", "env",   "exit",        "export", "false",      "fgrep",
        "file",    "find",  "free",  "grep",        "head",   "hostname",   "id",
        "ip",      "ln",    "ls",    "lsb_release", "lscpu",  "lsmod",      "lspci",
        "md5sum",  "mkdir", "mount", "mv",          "nproc",  "nvidia-smi", "printenv",
        "printf",  "ps",    "pwd",   "readlink",    "rm",     "sed",        "set",
        "sort",    "stat",  "tail",  "tee",         "test",   "touch",      "tr",
        "true",    "uname", "uniq",  "uptime",      "wc",     "which",      "whoami",
        "ifconfig"};
    const char *slash = strrchr(word, '/');
    return IS_AMONG(slash != NULL ? slash + 1 : word, tools);
}

/* Reads a word up to a blank, a separator or a redirection outside of quotes. */
static void read_word(LineReader *reader)
{
    size_t length = 0;
    char quote = '\0';
    for (; *reader->at != '\0'; reader->at++) {
        const char letter = *reader->at;
        if (quote == '\0' && strchr(" \t\n;&|()<>`", letter) != NULL)
            break;
        if (letter == quote || (quote == '\0' && (letter == '"' || letter == '\''))) {
            quote = letter == quote ? '\0' : letter;
            continue;
        }
        if (length < WORD_MAX - 1)
            reader->word[length++] = letter;
    }
    reader->word[length] = '\0';
}

/* Skips the options and the host of ssh; its next word is the command that runs there. */
static void skip_ssh(LineReader *reader)
{
    static const char with_value[] = "bcDEeFIiJLlmOopQRSWw"; // ssh(1)
    for (bool is_value = false;;) {
        reader->at += strspn(reader->at, " \t");
        if (*reader->at == '\0' || strchr("\n;&|()<>`", *reader->at) != NULL)
            return;
        read_word(reader);
        const bool is_option = !is_value && reader->word[0] == '-';
        if (!is_value && !is_option)
            return; // the host
        is_value = is_option && reader->word[1] != '\0' && reader->word[2] == '\0' &&
                   strchr(with_value, reader->word[1]) != NULL;
    }
}

/* Skips ">", ">>", "<" or ">&" and the file or stream after it. */
static void skip_redirection(LineReader *reader)
{
    reader->at += strspn(reader->at, "<>&");
    reader->at += strspn(reader->at, " \t");
    read_word(reader);
}

bool is_line_of_tools(const char *command)
{
    LineReader reader = {.at = command};
    bool is_next_command = true, has_command = false;
    while (*reader.at != '\0') {
        if (strchr(" \t", *reader.at) != NULL) {
            reader.at++;
        } else if (strchr("\n;&|()`", *reader.at) != NULL) {
            reader.at++;
            is_next_command = true;
        } else if (strchr("<>", *reader.at) != NULL) {
            skip_redirection(&reader);
        } else {
            read_word(&reader);
            if (!is_next_command || is_prefix(reader.word))
                continue;
            has_command = true;
            is_next_command = strcmp(reader.word, "ssh") == 0;
            if (is_next_command)
                skip_ssh(&reader);
            else if (!is_tool(reader.word))
                return false;
        }
    }
    return has_command;
}

/* --- Programs --- */

void other_program_check(const ConfigContext *context, const OtherText *text)
{
    Distribution unused;
    Status status = {0};
    if (text->duration != NULL &&
        !distribution_read(context->arena, text->duration, &unused, &status))
        problems_add_status(context->problems, &status);
}

static Program *new_program(const ConfigContext *context, const char *command)
{
    Program *program = ARENA_NEW(context->arena, Program);
    *program = (Program){.kind = PROGRAM_FIXED, .name = "other", .is_other = true};
    if (context->catalog == NULL)
        return program;
    const ServiceModel *service = catalog_service(context->catalog);
    program->duration =
        is_line_of_tools(command) ? service->unknown_tool_ns : service->unknown_program_ns;
    return program;
}

const Program *other_program(const ConfigContext *context, const OtherText *text,
                             const char *command)
{
    Program *program = new_program(context, command);
    Status status = {0}; // other_program_check has reported the problem
    program->exit_code = (int32_t)text->exit_code.value;
    bool is_read = text->duration == NULL ||
                   distribution_read(context->arena, text->duration, &program->duration, &status);
    return is_read ? program : NULL;
}

const Program *unknown_program(const ConfigContext *context, const char *command)
{
    return new_program(context, command);
}

/* --- Variables of a job --- */

static const VariableText *find_variable(const BoundList *environment, const char *name)
{
    for (int32_t i = 0; i < environment->count; i++) {
        const VariableText *variable = environment->items[i];
        if (variable->name.value != NULL && strcmp(variable->name.value, name) == 0 &&
            variable->value.value != NULL)
            return variable;
    }
    return NULL;
}

/* An exit code from 0 to 255, in digits. */
static bool exit_code_parse(const char *text, int32_t *code)
{
    size_t digits = strspn(text, "0123456789");
    *code = 0;
    for (size_t i = 0; i < digits && i < 4; i++)
        *code = 10 * *code + (text[i] - '0');
    return digits > 0 && digits <= 3 && text[digits] == '\0' && *code <= 255;
}

const Program *stated_program(const ConfigContext *context, const BoundList *environment,
                              const char *command, bool *is_stated)
{
    const VariableText *duration = find_variable(environment, DURATION_VARIABLE);
    const VariableText *exit_code = find_variable(environment, EXIT_CODE_VARIABLE);
    const int32_t problems_before = context->problems->count;
    *is_stated = duration != NULL || exit_code != NULL;
    if (!*is_stated)
        return NULL;
    Program *program = new_program(context, command);
    Status status = {0};
    int64_t ns;
    if (duration != NULL &&
        !duration_parse(duration->value.value, json_at(duration->value.node), &ns, &status))
        problems_add_status(context->problems, &status);
    else if (duration != NULL)
        program->duration = (Distribution){.kind = DISTRIBUTION_QUANTILES,
                                           .quantiles = quantiles_always(context->arena, ns)};
    if (exit_code != NULL && !exit_code_parse(exit_code->value.value, &program->exit_code))
        problems_add(context->problems, STATUS_BAD_INPUT, json_at(exit_code->value.node),
                     EXIT_CODE_VARIABLE " is \"%s\", expected 0 to 255", exit_code->value.value);
    return context->problems->count == problems_before ? program : NULL;
}

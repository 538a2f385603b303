#include "sim/scenario/config/shell_read.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/base/text.h"
#include "sim/cloud/job/job.h"
#include "sim/scenario/config/shell_words_read.h"

/* A longer command line is not treated as simple commands. */
enum { LINE_BYTES_MOST = 1 << 16 };

/* The script while it is read. */
typedef struct {
    ShellReader reader;
    ShellScript *script;
    int32_t pipeline_capacity;
    /* The present command. */
    ShellCommand command;
    int32_t word_capacity, assignment_capacity, redirect_capacity;
    ShellWordRead *words;
    ShellAssignment *assignments;
    ShellRedirect *redirects;
    bool has_operands; /* of export */
    bool is_sure;      /* the command always runs */
    /* For the refusal. */
    const char *begin;        /* of the present command */
    const char *unknown_name; /* of it */
} ScriptReader;

/* Makes room for one more item of `size` bytes. Returns `items`, or a larger copy. */
static void *with_room(Arena *arena, void *items, int32_t count, int32_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    *capacity = 2 * *capacity + 1; // most scripts are one short command
    void *more = arena_alloc_array(arena, (size_t)*capacity, size);
    if (count > 0)
        memcpy(more, items, (size_t)count * size);
    return more;
}

/* --- Commands --- */

static void add_word(ScriptReader *reader, ShellWordRead word)
{
    reader->words = with_room(reader->reader.arena, reader->words, reader->command.word_count,
                              &reader->word_capacity, sizeof word);
    reader->words[reader->command.word_count++] = word;
}

/* Reads NAME=value, where the name has `length` letters. */
static bool read_assignment(ScriptReader *reader, size_t length)
{
    ShellReader *words = &reader->reader;
    // These variables change the behaviour of the shell itself.
    static const char *const own[] = {
        "IFS",   "PATH",    "PWD",     "OLDPWD",    "HOME",   "ENV",    "LANG", "LANGUAGE",
        "PPID",  "UID",     "EUID",    "RANDOM",    "LINENO", "OPTIND", "PS4",  "POSIXLY_CORRECT",
        "TMOUT", "SECONDS", "SRANDOM", "SHELLOPTS", "CDPATH", "TZ",     "_"};
    const char *name = arena_strndup(words->arena, words->at, length);
    ShellWordRead value;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcmp(name, own[i]) == 0)
            return false;
    if (strncmp(name, "BASH", strlen("BASH")) == 0 || strncmp(name, "LC_", strlen("LC_")) == 0)
        return false;
    words->at += length + 1;
    // dash cuts an exported value at blanks, bash does not.
    if (!shell_read_word(words, true, &value) ||
        (reader->command.kind == SHELL_EXPORT && !value.is_one))
        return false;
    reader->assignments =
        with_room(words->arena, reader->assignments, reader->command.assignment_count,
                  &reader->assignment_capacity, sizeof *reader->assignments);
    reader->assignments[reader->command.assignment_count++] =
        (ShellAssignment){.name = name, .value = value.word};
    shell_note_variable(words, name, value.traits, reader->is_sure);
    return true;
}

/* Reads an operand of export: NAME=value, or the name of an existing variable. */
static bool read_export(ScriptReader *reader)
{
    ShellReader *words = &reader->reader;
    size_t length = shell_name_length(words->at);
    if (length > 0 && words->at[length] == '=')
        return read_assignment(reader, length);
    words->at += length;
    return length > 0;
}

/* Reads ">", ">>", "<" or ">&1", after the number of its stream if there is one. */
static bool read_redirect(ScriptReader *reader)
{
    ShellReader *words = &reader->reader;
    bool has_number = ascii_is_digit(*words->at);
    const char *at = words->at + has_number;
    ShellRedirect redirect = {.kind = *at == '<' ? REDIRECT_READ : REDIRECT_WRITE};
    redirect.stream = has_number ? *words->at - '0' : redirect.kind == REDIRECT_WRITE;
    bool is_read = redirect.kind == REDIRECT_READ;
    if (redirect.stream > 2 || is_read != (redirect.stream == 0))
        return false;
    at++;
    if (!is_read && *at == '>') {
        redirect.kind = REDIRECT_APPEND;
        at++;
    } else if (!is_read && *at == '&') {
        redirect.kind = REDIRECT_COPY;
        at++;
    }
    words->at = at;
    if (redirect.kind == REDIRECT_COPY) {
        redirect.copied = *at - '0';
        words->at++;
        if ((*at != '1' && *at != '2') || strchr(" \t\n;&|", at[1]) == NULL)
            return false;
    } else {
        ShellWordRead file;
        shell_skip_blanks(words);
        if (*words->at == '#' || !shell_read_word(words, false, &file) || !file.is_one ||
            !file.traits.is_path)
            return false;
        redirect.file = file.word;
        bool is_nothing = file.traits.known != NULL && strcmp(file.traits.known, "/dev/null") == 0;
        reader->script->uses_files |= !is_nothing;
        for (int32_t i = 0; i < reader->command.redirect_count; i++)
            if (!is_nothing && reader->redirects[i].kind != REDIRECT_COPY &&
                reader->redirects[i].kind != REDIRECT_READ && !is_read)
                return false; // two streams may write to one file
    }
    reader->redirects = with_room(words->arena, reader->redirects, reader->command.redirect_count,
                                  &reader->redirect_capacity, sizeof redirect);
    reader->redirects[reader->command.redirect_count++] = redirect;
    return true;
}

static bool is_redirect(const char *at)
{
    bool has_number = ascii_is_digit(*at);
    return at[has_number] == '<' || at[has_number] == '>';
}

static bool is_end_of_command(const char *at)
{
    return *at == '\0' || strchr("\n;&|()", *at) != NULL;
}

static const char *const command_names[] = {
#define X(kind, text) text,
    SHELL_COMMANDS(X)
#undef X
};

static ShellCommandKind command_kind(const char *name)
{
    int32_t kind = SHELL_ASSIGN + 1;
    while (kind < SHELL_COMMAND_COUNT && strcmp(command_names[kind], name) != 0)
        kind++;
    return (ShellCommandKind)kind;
}

/* Reads the name of a command: a plain word without quotes. */
static bool read_name(ScriptReader *reader)
{
    ShellWordRead name;
    if (!shell_read_word(&reader->reader, false, &name) || !name.is_literal ||
        strcmp(name.source, name.traits.known) != 0)
        return false;
    reader->command.kind = command_kind(name.traits.known);
    if (reader->command.kind == SHELL_COMMAND_COUNT)
        reader->unknown_name = arena_strdup(reader->reader.arena, name.traits.known);
    return reader->command.kind != SHELL_COMMAND_COUNT;
}

static bool read_command_parts(ScriptReader *reader)
{
    ShellReader *words = &reader->reader;
    bool has_name = false;
    for (;;) {
        shell_skip_blanks(words);
        if (is_end_of_command(words->at))
            break;
        size_t length = shell_name_length(words->at);
        bool is_good;
        if (is_redirect(words->at)) {
            is_good = read_redirect(reader);
        } else if (!has_name && length > 0 && words->at[length] == '=') {
            is_good = read_assignment(reader, length);
        } else if (!has_name) {
            is_good = reader->command.assignment_count == 0 && read_name(reader);
            has_name = true;
        } else if (reader->command.kind == SHELL_EXPORT) {
            is_good = read_export(reader);
            reader->has_operands = true;
        } else {
            ShellWordRead word;
            is_good = shell_read_word(words, false, &word);
            if (is_good)
                add_word(reader, word);
        }
        if (!is_good)
            return false;
    }
    const ShellCommand *command = &reader->command;
    if (has_name)
        return command->kind != SHELL_EXPORT || reader->has_operands;
    if (command->redirect_count > 0) // "> file" makes it empty
        reader->command.kind = SHELL_COLON;
    return (command->assignment_count > 0) != (command->redirect_count > 0);
}

static const ShellWord *plain_words(const ScriptReader *reader)
{
    int32_t count = reader->command.word_count;
    ShellWord *words = ARENA_ARRAY(reader->reader.arena, ShellWord, count);
    for (int32_t i = 0; i < count; i++)
        words[i] = reader->words[i].word;
    return words;
}

static bool read_command(ScriptReader *reader)
{
    reader->command = (ShellCommand){.kind = SHELL_ASSIGN};
    reader->word_capacity = reader->assignment_capacity = reader->redirect_capacity = 0;
    reader->has_operands = false;
    shell_skip_blanks(&reader->reader);
    reader->begin = reader->reader.at;
    reader->words = NULL;
    reader->assignments = NULL;
    reader->redirects = NULL;
    if (!read_command_parts(reader))
        return false;
    ShellCommand *command = &reader->command;
    command->words = plain_words(reader);
    command->assignments = reader->assignments;
    command->redirects = reader->redirects;
    reader->script->uses_files |=
        shell_uses_files(command->kind, reader->words, command->word_count);
    return true;
}

/* Whether a failed redirection ends the shell, as for the special built-in commands of dash. */
static bool is_fatal(ShellDialect dialect, const ShellCommand *command)
{
    bool is_special = command->kind == SHELL_COLON || command->kind == SHELL_EXIT ||
                      command->kind == SHELL_EXPORT;
    return dialect == SHELL_DASH && is_special && command->redirect_count > 0;
}

/* --- Lists --- */

/* Skips line ends, empty lines and comments. */
static void skip_lines(ShellReader *reader)
{
    shell_skip_blanks(reader);
    while (*reader->at == '\n') {
        reader->at++;
        reader->line++;
        shell_skip_blanks(reader);
    }
}

static bool read_pipeline(ScriptReader *reader, ShellCondition condition)
{
    ShellReader *words = &reader->reader;
    ShellPipeline pipeline = {.condition = condition, .line = words->line};
    ShellCommand *commands = NULL;
    int32_t capacity = 0;
    reader->is_sure = condition == SHELL_ALWAYS;
    for (bool is_last = false; !is_last;) {
        if (!read_command(reader))
            return false;
        is_last = words->at[0] != '|' || words->at[1] == '|';
        bool is_alone = is_last && pipeline.command_count == 0;
        if (is_fatal(reader->script->dialect, &reader->command) ||
            !shell_check_command(words, reader->script->dialect, reader->command.kind,
                                 reader->words, reader->command.word_count, is_alone))
            return false;
        commands =
            with_room(words->arena, commands, pipeline.command_count, &capacity, sizeof *commands);
        commands[pipeline.command_count++] = reader->command;
        if (!is_last) {
            words->at++;
            skip_lines(words);
        }
    }
    pipeline.commands = commands;
    ShellPipeline *pipelines = (ShellPipeline *)reader->script->pipelines;
    pipelines = with_room(words->arena, pipelines, reader->script->pipeline_count,
                          &reader->pipeline_capacity, sizeof *pipelines);
    pipelines[reader->script->pipeline_count++] = pipeline;
    reader->script->pipelines = pipelines;
    return true;
}

/* Reads the operator between two pipelines; false when it is not understood. */
static bool read_separator(ShellReader *reader, ShellCondition *condition)
{
    const char *at = reader->at;
    *condition = SHELL_ALWAYS;
    if (*at == '\0' || *at == '\n') {
        skip_lines(reader);
        return true;
    }
    if (*at == ';') {
        reader->at++;
        skip_lines(reader);
        return true;
    }
    bool is_and = at[0] == '&' && at[1] == '&';
    bool is_or = at[0] == '|' && at[1] == '|';
    *condition = is_and ? SHELL_IF_TRUE : SHELL_IF_FALSE;
    if (!is_and && !is_or)
        return false;
    reader->at += 2;
    skip_lines(reader);
    return *reader->at != '\0';
}

static bool read_list(ScriptReader *reader)
{
    ShellCondition condition = SHELL_ALWAYS;
    skip_lines(&reader->reader);
    while (*reader->reader.at != '\0')
        if (!read_pipeline(reader, condition) || !read_separator(&reader->reader, &condition))
            return false;
    return reader->script->pipeline_count > 0;
}

/* --- bash -c '...' --- */

/* Whether a shell takes every character of `value` literally, quoted or not. */
static bool is_safe(const char *value)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_./:,@%+=-";
    return *value != '\0' && strspn(value, safe) == strlen(value);
}

/* The text that the outer shell passes to the inner one; NULL: it depends on the run. A variable
 * whose value contains the job's segment, which is not known yet, stays a variable. That is
 * possible only if the text has no single quote or backslash that could quote it. */
static const char *inner_text(ShellReader *reader, const ShellWord *word)
{
    Text text = {0};
    bool is_good = true, has_variable = false;
    for (int32_t i = 0; i < word->part_count && is_good; i++) {
        const ShellPart *part = &word->parts[i];
        const ShellKnown *known =
            part->kind == SHELL_PART_VARIABLE ? shell_known(reader, part->text) : NULL;
        if (part->kind == SHELL_PART_TEXT) {
            text_add(&text, part->text);
        } else if (known != NULL && known->traits.known != NULL && is_safe(known->traits.known)) {
            text_add(&text, known->traits.known);
        } else {
            has_variable = true;
            is_good = known != NULL && known->traits.known != NULL &&
                      strstr(known->traits.known, JOB_SEGMENT_MARK) != NULL;
            text_printf(&text, "${%s}", part->text);
        }
    }
    is_good &= !has_variable || strpbrk(text_string(&text), "'\\") == NULL;
    const char *inner = is_good ? arena_strdup(reader->arena, text_string(&text)) : NULL;
    text_free(&text);
    return inner;
}

/* Whether the line is `SHELL -c SCRIPT`; if so, stores the shell and the script. */
static bool is_wrapped(ShellReader *reader, const char **shell, const char **line)
{
    static const char *const shells[] = {"bash", "/bin/bash", "/usr/bin/bash",
                                         "sh",   "/bin/sh",   "/usr/bin/sh"};
    ShellWordRead words[3];
    for (int i = 0; i < 3; i++) {
        shell_skip_blanks(reader);
        if (is_end_of_command(reader->at) || !shell_read_word(reader, false, &words[i]))
            return false;
    }
    skip_lines(reader);
    if (*reader->at != '\0' || !words[0].is_literal || !words[1].is_literal || !words[2].is_one ||
        strcmp(words[1].traits.known, "-c") != 0)
        return false;
    *shell = NULL;
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        if (strcmp(words[0].traits.known, shells[i]) == 0)
            *shell = shells[i];
    *line = *shell != NULL ? inner_text(reader, &words[2].word) : NULL;
    return *line != NULL;
}

/* --- The script --- */

static ShellReader reader_of(Arena *arena, Arena *scratch, const char *line, int32_t variable_count,
                             const EnvironmentVariable *variables)
{
    ShellReader reader = {.arena = arena, .scratch = scratch, .at = line, .line = 1};
    for (int32_t i = 0; i < variable_count; i++) {
        const char *value = environment_value(&variables[i]);
        shell_note_variable(&reader, variables[i].name, shell_traits_of(value), true);
    }
    return reader;
}

/* The command at which reading stopped, up to the next operator. */
static ShellRefusal refusal_of(const ScriptReader *reader)
{
    const char *at = reader->reader.at, *begin = reader->begin;
    if (begin == NULL || *begin == '\0')
        return (ShellRefusal){0};
    const char *end = at + strcspn(at, "\n;&|");
    if (end == begin) // an operator without a command before it
        end += strlen(end);
    else if (*end == '&' && end[1] != '&') // it would run in the background
        end++;
    return (ShellRefusal){.command =
                              arena_strndup(reader->reader.arena, begin, (size_t)(end - begin)),
                          .unknown_name = reader->unknown_name};
}

void shell_refusal_add(Problems *problems, Place at, const ShellRefusal *refusal, const char *when)
{
    enum { FIRST = SHELL_ASSIGN + 1 }; // an assignment has no name
    if (refusal->unknown_name != NULL) {
        status_hint_names(problems_add(problems, STATUS_BAD_INPUT, at, "unknown command \"%s\"",
                                       refusal->unknown_name),
                          refusal->unknown_name, command_names + FIRST,
                          SHELL_COMMAND_COUNT - FIRST);
        return;
    }
    Status *problem = refusal->command != NULL
                          ? problems_add(problems, STATUS_BAD_INPUT, at,
                                         "the script has more than simple commands%s: \"%s\"", when,
                                         refusal->command)
                          : problems_add(problems, STATUS_BAD_INPUT, at,
                                         "the script is not simple commands%s", when);
    status_hint(problem, "echo, printf, sleep, exit, export, cat, cp, mkdir, tee, test and similar "
                         "ones, joined by ; && || and |");
}

/* Adds the mounts that are shares. False when the script uses files and there is another kind of
 * mount, whose content is not known. */
static bool add_mounts(Arena *arena, ShellScript *script, const Mounts *mounts)
{
    script->mounts = mounts_shell(arena, mounts, &script->mount_count);
    return script->mount_count == mounts->count || !script->uses_files;
}

static const ShellScript *read_script(Arena *arena, Arena *scratch, const char *line,
                                      int32_t variable_count, const EnvironmentVariable *variables,
                                      const Mounts *mounts, ShellRefusal *refusal)
{
    const char *shell = "bash", *inner = line;
    for (bool is_inner = true; is_inner;) {
        line = inner;
        ShellReader outer = reader_of(arena, scratch, line, variable_count, variables);
        const char *next_shell;
        is_inner = is_wrapped(&outer, &next_shell, &inner);
        if (is_inner)
            shell = next_shell;
    }
    ScriptReader reader = {.reader = reader_of(arena, scratch, line, variable_count, variables),
                           .script = ARENA_NEW(arena, ShellScript)};
    size_t length = strlen(shell);
    bool is_bash = length >= 4 && strcmp(shell + length - 4, "bash") == 0;
    *reader.script = (ShellScript){.shell = shell, .dialect = is_bash ? SHELL_BASH : SHELL_DASH};
    if (read_list(&reader))
        return add_mounts(arena, reader.script, mounts) ? reader.script : NULL;
    if (refusal != NULL)
        *refusal = refusal_of(&reader);
    return NULL;
}

const ShellScript *shell_read(Arena *arena, const char *line, int32_t variable_count,
                              const EnvironmentVariable *variables, const Mounts *mounts,
                              ShellRefusal *refusal)
{
    if (refusal != NULL)
        *refusal = (ShellRefusal){0};
    if (strlen(line) > LINE_BYTES_MOST)
        return NULL;
    Arena *scratch = arena_create();
    const ShellScript *script =
        read_script(arena, scratch, line, variable_count, variables, mounts, refusal);
    arena_destroy(scratch);
    return script;
}

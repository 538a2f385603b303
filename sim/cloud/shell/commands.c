#include "sim/cloud/shell/commands.h"

#include <string.h>

#include "sim/base/invariant.h"
#include "sim/cloud/shell/place.h"
#include "sim/cloud/shell/text.h"
#include "sim/cloud/shell/words.h"
#include "sim/model/bounded.h"

static ShellDialect dialect_of(const ShellFrame *frame)
{
    return frame->run->settings->script->dialect;
}

/* --- Words --- */

typedef struct {
    bool has_feed, has_escapes;
} EchoOptions;

/* Takes one word of echo's options; false: it is not an option. */
static bool take_echo_option(ShellDialect dialect, const char *word, EchoOptions *options)
{
    if (dialect == SHELL_DASH) {
        bool is_option = strcmp(word, "-n") == 0;
        options->has_feed &= !is_option;
        return is_option;
    }
    if (word[0] != '-' || word[1] == '\0' || strspn(word + 1, "neE") != strlen(word + 1))
        return false;
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        if (*letter == 'n')
            options->has_feed = false;
        else
            options->has_escapes = *letter == 'e';
    }
    return true;
}

static int32_t echo(ShellFrame *frame)
{
    bool is_bash = dialect_of(frame) == SHELL_BASH;
    EchoOptions options = {.has_feed = true, .has_escapes = !is_bash};
    int32_t first = 0;
    while (first < frame->count && (is_bash || first == 0) &&
           take_echo_option(dialect_of(frame), frame->words[first], &options))
        first++;
    Text out = {0};
    bool goes_on = true;
    for (int32_t i = first; i < frame->count && goes_on; i++) {
        if (i > first)
            text_add(&out, " ");
        if (options.has_escapes)
            goes_on = shell_unescape(&out, frame->words[i],
                                     is_bash ? ESCAPES_BASH_ECHO : ESCAPES_DASH_ECHO);
        else
            text_add(&out, frame->words[i]);
    }
    if (options.has_feed && goes_on)
        text_add(&out, "\n");
    shell_print(frame, 1, text_string(&out), out.length);
    text_free(&out);
    return 0;
}

static int32_t print_formatted(ShellFrame *frame)
{
    Text out = {0};
    int32_t format = strcmp(frame->words[0], "--") == 0;
    shell_format(&out, frame->words[format], frame->words + format + 1, frame->count - format - 1);
    shell_print(frame, 1, text_string(&out), out.length);
    text_free(&out);
    return 0;
}

static int32_t assign(ShellFrame *frame)
{
    const ShellCommand *command = frame->command;
    for (int32_t i = 0; i < command->assignment_count; i++)
        shell_set_variable(frame->run, command->assignments[i].name,
                           shell_join(frame->run, &command->assignments[i].value, frame->arena));
    return 0;
}

static int32_t leave(ShellFrame *frame)
{
    enum { CODE_MASK = 0xff };
    int32_t code = frame->run->exit_code;
    if (frame->count > 0) {
        code = 0;
        for (const char *digit = frame->words[0]; *digit != '\0'; digit++)
            code = (10 * code + (*digit - '0')) & 0xffff;
    }
    frame->run->is_over |= frame->is_alone;
    return code & CODE_MASK;
}

static int32_t sleep_for(ShellFrame *frame)
{
    int64_t total_ns = 0;
    bool is_good = true;
    for (int32_t i = 0; i < frame->count; i++) {
        int64_t ns;
        if (!shell_sleep_ns(frame->words[i], &ns)) {
            shell_printf(frame, 2, "sleep: invalid time interval '%s'\n", frame->words[i]);
            is_good = false;
        } else {
            total_ns = bounded_add(total_ns, ns);
        }
    }
    if (!is_good) {
        shell_printf(frame, 2, "Try 'sleep --help' for more information.\n");
        return 1;
    }
    frame->sleep_ns = total_ns;
    return 0;
}

/* --- Tests --- */

static bool unary(ShellFrame *frame, char letter, const char *operand)
{
    ShellRun *run = frame->run;
    if (letter == 'n' || letter == 'z')
        return (*operand != '\0') == (letter == 'n');
    ShellPlace place = shell_place(run, operand);
    uint32_t file = *operand != '\0' ? shell_find(run, place) : FILE_NONE;
    bool is_directory = *operand != '\0' && shell_is_directory(run, place);
    if (letter == 'd')
        return is_directory;
    if (letter == 'f')
        return file != FILE_NONE;
    if (letter == 's')
        return is_directory ||
               (file != FILE_NONE && file_set_at(run->settings->files, file)->bytes > 0);
    return is_directory || file != FILE_NONE || (place.is_null && *operand != '\0'); // -e
}

/* shell_read has accepted the form of the words. */
static int32_t test(ShellFrame *frame)
{
    const char **words = frame->words;
    int32_t count = frame->count - (frame->command->kind == SHELL_BRACKET);
    bool is_not = count > 1 && strcmp(words[0], "!") == 0;
    words += is_not;
    count -= is_not;
    bool holds = count == 1   ? words[0][0] != '\0'
                 : count == 2 ? unary(frame, words[0][1], words[1])
                 : count == 3 ? (strcmp(words[0], words[2]) == 0) == (words[1][0] != '!')
                              : false;
    return holds != is_not ? 0 : 1;
}

/* --- Files --- */

static bool is_same_place(ShellPlace a, ShellPlace b)
{
    return a.volume == b.volume && strcmp(a.path, b.path) == 0;
}

static bool cat_one(ShellFrame *frame, const char *path)
{
    static const char missing[] = "cat: %s: No such file or directory\n";
    ShellRun *run = frame->run;
    if (strcmp(path, "-") == 0) {
        shell_pass_on(frame, frame->input);
        frame->input = NULL; // standard input can be read once
        return true;
    }
    ShellPlace place = shell_place(run, path);
    const ShellTarget *out = frame->streams[1];
    uint32_t file = *path != '\0' && !place.is_null ? shell_find(run, place) : FILE_NONE;
    if (place.is_null)
        return true;
    if (file == FILE_NONE) {
        bool is_directory = *path != '\0' && shell_is_directory(run, place);
        shell_printf(frame, 2, is_directory ? "cat: %s: Is a directory\n" : missing, path);
        return false;
    }
    if (out->kind == TO_FILE && is_same_place(out->place, place) &&
        file_set_at(run->settings->files, file)->bytes > 0) {
        shell_printf(frame, 2, "cat: %s: input file is output file\n", path);
        return false;
    }
    PartList contents = {.arena = frame->arena};
    parts_add_file(&contents, run->settings->files, file);
    shell_pass_on(frame, &contents);
    return true;
}

static int32_t cat(ShellFrame *frame)
{
    bool is_good = true;
    if (frame->count == 0)
        shell_pass_on(frame, frame->input);
    for (int32_t i = 0; i < frame->count; i++)
        is_good &= cat_one(frame, frame->words[i]);
    return is_good ? 0 : 1;
}

/* Writes a file. On failure prints `complaint`, the path and the reason, and returns false. */
static bool write_file(ShellFrame *frame, const char *path, const PartList *contents,
                       const char *complaint)
{
    ShellPlace place = shell_place(frame->run, path);
    const char *why =
        *path != '\0' ? shell_cannot_write(frame->run, place) : "No such file or directory";
    if (why == NULL)
        shell_write(frame->run, place, contents);
    else
        shell_printf(frame, 2, "%s%s: %s\n", complaint, path, why);
    return why == NULL;
}

static int32_t tee(ShellFrame *frame)
{
    bool appends = frame->count > 0 && strcmp(frame->words[0], "-a") == 0;
    bool is_good = true;
    shell_pass_on(frame, frame->input);
    for (int32_t i = appends; i < frame->count; i++) {
        PartList contents = {.arena = frame->arena};
        ShellPlace place = shell_place(frame->run, frame->words[i]);
        uint32_t file = appends ? shell_find(frame->run, place) : FILE_NONE;
        if (file != FILE_NONE)
            parts_add_file(&contents, frame->run->settings->files, file);
        for (int32_t p = 0; frame->input != NULL && p < frame->input->count; p++)
            parts_add(&contents, frame->run->settings->files, frame->input->items[p]);
        is_good &= write_file(frame, frame->words[i], &contents, "tee: ");
    }
    return is_good ? 0 : 1;
}

static bool make_directory(ShellFrame *frame, const char *path, bool with_parents)
{
    static const char complaint[] = "mkdir: cannot create directory '%s': %s\n";
    ShellRun *run = frame->run;
    ShellPlace place = shell_place(run, path);
    bool is_directory = *path != '\0' && shell_is_directory(run, place);
    if (is_directory && with_parents)
        return true;
    const char *why = is_directory || (*path != '\0' && shell_find(run, place) != FILE_NONE)
                          ? "File exists"
                          : NULL;
    if (why == NULL && !with_parents)
        why = *path != '\0' ? shell_cannot_write(run, place) : "No such file or directory";
    if (why != NULL)
        shell_printf(frame, 2, complaint, path, why);
    else
        file_set_make_directory(run->settings->files, place.volume, place.path);
    return why == NULL;
}

static int32_t mkdir(ShellFrame *frame)
{
    bool with_parents = strcmp(frame->words[0], "-p") == 0;
    bool is_good = true;
    for (int32_t i = with_parents; i < frame->count; i++)
        is_good &= make_directory(frame, frame->words[i], with_parents);
    return is_good ? 0 : 1;
}

static int32_t touch(ShellFrame *frame)
{
    bool is_good = true;
    for (int32_t i = 0; i < frame->count; i++) {
        PartList contents = {.arena = frame->arena};
        ShellPlace place = shell_place(frame->run, frame->words[i]);
        if (shell_is_directory(frame->run, place))
            continue; // its time is not kept
        uint32_t file = shell_find(frame->run, place);
        if (file != FILE_NONE)
            parts_add_file(&contents, frame->run->settings->files, file);
        const char *why = shell_cannot_write(frame->run, place);
        if (why == NULL)
            shell_write(frame->run, place, &contents);
        else
            shell_printf(frame, 2, "touch: cannot touch '%s': %s\n", frame->words[i], why);
        is_good &= why == NULL;
    }
    return is_good ? 0 : 1;
}

static int32_t cp(ShellFrame *frame)
{
    ShellRun *run = frame->run;
    const char *from = frame->words[0], *to = frame->words[1];
    ShellPlace source = shell_place(run, from);
    uint32_t file = shell_find(run, source);
    if (file == FILE_NONE) {
        if (shell_is_directory(run, source))
            shell_printf(frame, 2, "cp: -r not specified; omitting directory '%s'\n", from);
        else
            shell_printf(frame, 2, "cp: cannot stat '%s': No such file or directory\n", from);
        return 1;
    }
    const char *slash = strrchr(from, '/');
    const char *name = slash != NULL ? slash + 1 : from;
    bool is_folder = to[strlen(to) - 1] == '/';
    // Not all folders of a share are known.
    if (shell_is_directory(run, shell_place(run, to)) ||
        (is_folder && shell_place(run, to).is_share)) {
        to = arena_printf(frame->arena, "%s%s%s", to, is_folder ? "" : "/", name);
    } else if (is_folder) {
        shell_printf(frame, 2, "cp: cannot create regular file '%s': Not a directory\n", to);
        return 1;
    }
    ShellPlace target = shell_place(run, to);
    if (is_same_place(source, target)) {
        shell_printf(frame, 2, "cp: '%s' and '%s' are the same file\n", from, to);
        return 1;
    }
    const char *why = shell_cannot_write(run, target);
    if (why != NULL) {
        shell_printf(frame, 2, "cp: cannot create regular file '%s': %s\n", to, why);
        return 1;
    }
    PartList contents = {.arena = frame->arena};
    parts_add_file(&contents, run->settings->files, file);
    shell_write(run, target, &contents);
    return 0;
}

/* Why a file cannot be removed; NULL: it can. */
static const char *cannot_remove(const ShellRun *run, ShellPlace place)
{
    if (shell_is_directory(run, place))
        return "Is a directory";
    if (place.is_null || shell_find(run, place) != FILE_NONE)
        return NULL;
    const char *slash = strrchr(place.path, '/');
    ShellPlace above = place;
    above.path = slash != NULL
                     ? arena_strndup(run->settings->arena, place.path, (size_t)(slash - place.path))
                     : "";
    return shell_find(run, above) != FILE_NONE ? "Not a directory" : "No such file or directory";
}

static int32_t rm(ShellFrame *frame)
{
    const bool is_forced = strcmp(frame->words[0], "-f") == 0;
    bool is_good = true;
    for (int32_t i = is_forced; i < frame->count; i++) {
        const char *path = frame->words[i];
        ShellPlace place = shell_place(frame->run, path);
        const char *why =
            *path != '\0' ? cannot_remove(frame->run, place) : "No such file or directory";
        if (why == NULL) {
            shell_remove(frame->run, place);
        } else if (!is_forced || shell_is_directory(frame->run, place)) {
            shell_printf(frame, 2, "rm: cannot remove '%s': %s\n", path, why);
            is_good = false;
        }
    }
    return is_good ? 0 : 1;
}

static int32_t cd(ShellFrame *frame)
{
    enum { FAILED_BASH = 1, FAILED_DASH = 2 };
    ShellRun *run = frame->run;
    const char *path = frame->words[0];
    ShellPlace place = shell_place(run, path);
    if (shell_is_directory(run, place)) {
        run->directory = shell_absolute(run, path);
        return 0;
    }
    bool is_file = shell_find(run, place) != FILE_NONE;
    if (dialect_of(frame) == SHELL_DASH) {
        shell_print_error(frame, "cd: can't cd to %s\n", path);
        return FAILED_DASH;
    }
    shell_print_error(frame, "cd: %s: %s\n", path,
                      is_file ? "Not a directory" : "No such file or directory");
    return FAILED_BASH;
}

static int32_t pwd(ShellFrame *frame)
{
    const char *directory = frame->run->directory;
    shell_printf(frame, 1, "%s\n", *directory != '\0' ? directory : "/");
    return 0;
}

int32_t shell_command(ShellFrame *frame)
{
    switch (frame->command->kind) {
    case SHELL_ASSIGN:
    case SHELL_EXPORT:
        return assign(frame);
    case SHELL_COLON:
    case SHELL_TRUE:
        return 0;
    case SHELL_FALSE:
        return 1;
    case SHELL_ECHO:
        return echo(frame);
    case SHELL_PRINTF:
        return print_formatted(frame);
    case SHELL_EXIT:
        return leave(frame);
    case SHELL_SLEEP:
        return sleep_for(frame);
    case SHELL_CD:
        return cd(frame);
    case SHELL_PWD:
        return pwd(frame);
    case SHELL_TEST:
    case SHELL_BRACKET:
        return test(frame);
    case SHELL_CAT:
        return cat(frame);
    case SHELL_TEE:
        return tee(frame);
    case SHELL_MKDIR:
        return mkdir(frame);
    case SHELL_TOUCH:
        return touch(frame);
    case SHELL_CP:
        return cp(frame);
    case SHELL_RM:
        return rm(frame);
    case SHELL_COMMAND_COUNT:
        break;
    }
    invariant_broken("a command of a known kind", __FILE__, __LINE__);
}

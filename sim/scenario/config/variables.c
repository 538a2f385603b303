#include "sim/scenario/config/variables.h"

#include <string.h>

#include "sim/base/ascii.h"
#include "sim/schema/glob.h"

#define SERVICE_PREFIX "AZ_BATCHAI_"
#define INPUT_PREFIX SERVICE_PREFIX "INPUT_"
#define OUTPUT_PREFIX SERVICE_PREFIX "OUTPUT_"

struct UnreadVariables {
    const char *pattern;
    const UnreadVariables *next;
};

Variables variables_create(const ConfigContext *context, const Mounts *mounts)
{
    return (Variables){.arena = context->arena,
                       .problems = context->problems,
                       .warnings = config_warnings(context),
                       .is_of_session = context->is_of_session,
                       .mounts = mounts};
}

void variables_add(Variables *variables, const char *prefix, const char *id, const char *value)
{
    enum { CAPACITY_AT_FIRST = 16 };
    if (variables->count == variables->capacity) {
        int32_t capacity = variables->capacity == 0 ? CAPACITY_AT_FIRST : 2 * variables->capacity;
        EnvironmentVariable *items = ARENA_ARRAY(variables->arena, EnvironmentVariable, capacity);
        if (variables->count > 0)
            memcpy(items, variables->items, (size_t)variables->count * sizeof(EnvironmentVariable));
        variables->items = items;
        variables->capacity = capacity;
    }
    variables->items[variables->count++] = (EnvironmentVariable){
        .name = *prefix == '\0' ? id : arena_printf(variables->arena, "%s%s", prefix, id),
        .value = value};
}

void variables_add_unread(Variables *variables, const char *prefix, const char *id)
{
    UnreadVariables *unread = ARENA_NEW(variables->arena, UnreadVariables);
    unread->pattern = arena_printf(variables->arena, "%s%s", prefix, id);
    unread->next = variables->unread;
    variables->unread = unread;
}

static bool is_unread(const Variables *variables, const char *name)
{
    for (const UnreadVariables *unread = variables->unread; unread != NULL; unread = unread->next)
        if (glob_matches(unread->pattern, name))
            return true;
    return false;
}

static const EnvironmentVariable *find(const Variables *variables, const char *name)
{
    for (int32_t i = 0; i < variables->count; i++)
        if (strcmp(variables->items[i].name, name) == 0)
            return &variables->items[i];
    return NULL;
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Reports an unknown variable with its kind, and hints at the variables of that kind. */
static void unknown_variable(const Variables *variables, Problems *problems, const char *name,
                             Place at)
{
    static const struct {
        const char *prefix, *kind, *hint; /* the hint when there is no variable of that kind */
    } kinds[] = {
        {INPUT_PREFIX, "input directory id", "no \"inputDirectories\" can be used here"},
        {OUTPUT_PREFIX, "output directory id", "no \"outputDirectories\" can be used here"},
        {SERVICE_PREFIX, "variable", ""},
    };
    size_t kind = 0;
    while (!starts_with(name, kinds[kind].prefix))
        kind++;
    bool is_whole = strcmp(kinds[kind].prefix, SERVICE_PREFIX) == 0;
    size_t skipped = is_whole ? 0 : strlen(kinds[kind].prefix);
    const char **names = ARENA_ARRAY(variables->arena, const char *, variables->count);
    int32_t count = 0;
    for (int32_t i = 0; i < variables->count; i++)
        if (starts_with(variables->items[i].name, kinds[kind].prefix))
            names[count++] = variables->items[i].name + skipped;
    Status *problem =
        bind_unknown_name(problems, at, kinds[kind].kind, name + skipped, names, count);
    if (count == 0)
        status_hint(problem, "%s", kinds[kind].hint);
}

static bool is_name_letter(char c)
{
    return ascii_is_alphanumeric(c) || c == '_';
}

/* The name after the '$' at `dollar`, and the number of bytes that it takes including the '$';
 * NULL when there is no name. */
static const char *variable_name(Arena *arena, const char *dollar, size_t *taken)
{
    bool has_brace = dollar[1] == '{';
    const char *start = dollar + 1 + has_brace;
    size_t length = 0;
    while (is_name_letter(start[length]))
        length++;
    if (length == 0 || (has_brace && start[length] != '}'))
        return NULL;
    *taken = length + 1 + 2 * (size_t)has_brace;
    return arena_strndup(arena, start, length);
}

static bool is_mount_root(const char *name)
{
    return strcmp(name, SERVICE_PREFIX "MOUNT_ROOT") == 0 ||
           strcmp(name, SERVICE_PREFIX "JOB_MOUNT_ROOT") == 0;
}

static void no_mount(const Variables *variables, Problems *problems, const char *path, Place at)
{
    mounts_hint(problems_add(problems, STATUS_BAD_INPUT, at, "%s is not under a mount", path),
                variables->mounts);
}

/* --- Paths --- */

/* Reports a path below the mount root that is not under a mount; false then. */
static bool check_mounted(const Variables *variables, const char *root, const char *expanded,
                          BoundText text)
{
    const char *inside;
    const char *path = path_tidy(variables->arena, expanded);
    if (strcmp(path, root) == 0 || mounts_find(variables->mounts, path, &inside) != NULL)
        return true;
    no_mount(variables, variables->problems, text.value, json_at(text.node));
    return false;
}

/* Handles a name that is not a known variable. Reports a name with the service's prefix. False when
 * the value cannot be known. */
static bool check_foreign(const Variables *variables, const char *name, Place at)
{
    if (is_unread(variables, name))
        return false;
    if (!starts_with(name, SERVICE_PREFIX))
        return true;
    unknown_variable(variables, variables->problems, name, at);
    return false;
}

const char *variables_expand(const Variables *variables, BoundText text)
{
    if (text.value == NULL)
        return NULL;
    Text out = {0};
    bool is_known = true, is_whole = true;
    const char *root = NULL; // the mount root that the path begins with
    for (const char *in = text.value;;) {
        size_t plain = strcspn(in, "$");
        text_append(&out, in, plain);
        in += plain;
        if (*in == '\0')
            break;
        size_t taken = 1;
        const char *name = variable_name(variables->arena, in, &taken);
        const EnvironmentVariable *variable = name != NULL ? find(variables, name) : NULL;
        if (variable != NULL && variable->value != NULL) {
            text_add(&out, variable->value);
            if (is_mount_root(name))
                root = variable->value;
        } else {
            text_append(&out, in, taken);
            is_whole = false;
            is_known &= name == NULL || variable != NULL ||
                        check_foreign(variables, name, json_at(text.node));
        }
        in += taken;
    }
    if (is_known && is_whole && root != NULL)
        is_known = check_mounted(variables, root, text_string(&out), text);
    const char *expanded = is_known ? arena_strdup(variables->arena, text_string(&out)) : NULL;
    text_free(&out);
    return expanded;
}

static OutputPlace place_of(const Variables *variables, const char *expanded)
{
    const char *inside;
    const char *path = path_tidy(variables->arena, expanded);
    const Mount *mount = mounts_find(variables->mounts, path, &inside);
    if (mount != NULL && mount->is_unread)
        return (OutputPlace){0};
    if (mount == NULL || mount->share == NULL)
        return (OutputPlace){.directory = path};
    if (mount->folder[0] != '\0')
        inside = arena_printf(variables->arena, "%s%s%s", mount->folder,
                              inside[0] != '\0' ? "/" : "", inside);
    return (OutputPlace){.share = mount->share->name, .directory = inside};
}

OutputPlace variables_place(const Variables *variables, BoundText text)
{
    const char *expanded = variables_expand(variables, text);
    return expanded != NULL ? place_of(variables, expanded) : (OutputPlace){0};
}

bool output_path_check(Problems *problems, const char *key, BoundText text, const char *path)
{
    for (const char *part = path; *part != '\0'; part += strspn(part, "/")) {
        size_t length = strcspn(part, "/");
        bool is_step = (length == 1 || length == 2) && strspn(part, ".") == length;
        if (is_step) {
            status_hint(problems_add(problems, STATUS_BAD_INPUT, json_at(text.node),
                                     "%s \"%s\" has a part \"%.*s\"", key, text.value, (int)length,
                                     part),
                        "write the path of the output folder without \".\" and \"..\"");
            return false;
        }
        part += length;
    }
    return true;
}

OutputPlace variables_output(const Variables *variables, Problems *problems, const char *key,
                             BoundText text)
{
    const char *expanded = variables_expand(variables, text);
    return expanded != NULL && output_path_check(problems, key, text, expanded)
               ? place_of(variables, expanded)
               : (OutputPlace){0};
}

/* --- Command lines --- */

/* Whether the line contains the name in another form than `$NAME`. It then sets the variable
 * itself, or handles that the variable is not set. */
static bool is_used_otherwise(const char *line, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(line, name); at != NULL; at = strstr(at + 1, name)) {
        size_t before = (size_t)(at - line);
        bool is_part = (before > 0 && is_name_letter(at[-1])) || is_name_letter(at[length]);
        bool is_read = (before > 0 && at[-1] == '$') ||
                       (before > 1 && at[-2] == '$' && at[-1] == '{' && at[length] == '}');
        if (!is_part && !is_read)
            return true;
    }
    return false;
}

/* Warns if `rest`, the text after the name of a mount root, does not lead to a mount. Only plain
 * characters, which every shell takes literally, are checked: a mount may begin with them. */
static void warn_of_no_mount(const Variables *variables, const EnvironmentVariable *root,
                             const char *rest, Place at)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._-/";
    int length = (int)strspn(rest, plain);
    if (rest[0] != '/')
        return;
    const char *path = path_tidy(
        variables->arena, arena_printf(variables->arena, "%s%.*s", root->value, length, rest));
    const char *inside;
    if (strcmp(path, root->value) == 0 || mounts_begin(variables->mounts, path) ||
        mounts_find(variables->mounts, path, &inside) != NULL)
        return;
    no_mount(variables, variables->warnings,
             arena_printf(variables->arena, "$%s%.*s", root->name, length, rest), at);
}

/* The list that an unknown variable of a command line belongs to. Only the service sets variables
 * of directories, and only of those that the job declares: one that is not declared is empty, which
 * is a mistake for certain. The service ran such a job, and so does a session. */
static Problems *severity(const Variables *variables, const char *name)
{
    const bool is_certain = starts_with(name, INPUT_PREFIX) || starts_with(name, OUTPUT_PREFIX);
    return is_certain && !variables->is_of_session ? variables->problems : variables->warnings;
}

void variables_check_command(const Variables *variables, BoundText text)
{
    const Place at = json_at(text.node);
    const char *dollar = text.value != NULL ? strchr(text.value, '$') : NULL;
    while (dollar != NULL) {
        size_t taken = 1;
        const char *name = variable_name(variables->arena, dollar, &taken);
        const EnvironmentVariable *variable = name != NULL ? find(variables, name) : NULL;
        if (variable != NULL && is_mount_root(name))
            warn_of_no_mount(variables, variable, dollar + taken, at);
        if (variable == NULL && name != NULL && starts_with(name, SERVICE_PREFIX) &&
            !is_unread(variables, name) && !is_used_otherwise(text.value, name))
            unknown_variable(variables, severity(variables, name), name, at);
        dollar = strchr(dollar + taken, '$');
    }
}

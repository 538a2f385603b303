/* Command lines as scripts: compared with real shells, and the lines that are not interpreted. */
#include "sim/scenario/config/shell_read.h"

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/text.h"
#include "sim/base/units.h"
#include "sim/cloud/shell/shell.h"
#include "tests/support/suite.h"

enum { FILE_NAMES_MOST = 32 };

/* A folder of this machine that looks like a node to a shell: two shares and a start folder. */
static Arena *arena;
static char root[64];
static const char *start, *shares;
static KnownShare share_a = {.name = "account/a"}, share_b = {.name = "account/b"};
static Mount mount_items[2];
static Mounts mounts = {.count = 2, .items = mount_items};
static EnvironmentVariable variables[10];
enum { VARIABLES = sizeof variables / sizeof variables[0] };

static void setup(void)
{
    arena = arena_create();
    snprintf(root, sizeof root, "/tmp/trainyard-shell-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
    start = arena_printf(arena, "%s/start", root);
    shares = arena_printf(arena, "%s/shares", root);
    mount_items[0] =
        (Mount){.path = arena_printf(arena, "%s/a", shares), .share = &share_a, .folder = ""};
    mount_items[1] = (Mount){
        .path = arena_printf(arena, "%s/b", shares), .share = &share_b, .folder = "sub/folder"};
    const EnvironmentVariable all[VARIABLES] = {
        {.name = "AZ_BATCHAI_JOB_TEMP", .value = start},
        {.name = "AZ_BATCHAI_JOB_MOUNT_ROOT", .value = shares},
        {.name = "AZ_BATCHAI_OUTPUT_OUT", .value = arena_printf(arena, "%s/a/out", shares)},
        {.name = "AZ_BATCHAI_NUM_GPUS", .value = "1"},
        {.name = "GREETING", .value = "hello   world"},
        {.name = "EMPTY", .value = ""},
        {.name = "ONE", .value = "one"},
        {.name = "STARS", .value = "* a*"},
        {.name = "SLASHES", .value = "a\\tb"},
        {.name = "OPTION", .value = "-n"},
    };
    memcpy(variables, all, sizeof variables);
}

static void remove_tree(const char *folder)
{
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        const char *path = arena_printf(arena, "%s/%s", folder, entry->d_name);
        if (remove(path) != 0)
            remove_tree(path);
    }
    if (open)
        closedir(open);
    rmdir(folder);
}

static void teardown(void)
{
    remove_tree(root);
    arena_destroy(arena);
}

static const ShellScript *read_line(const char *line)
{
    return shell_read(arena, line, VARIABLES, variables, &mounts, NULL);
}

/* --- Results --- */

typedef struct {
    Text out, error, files; /* files: "a/x.txt: contents\n" of the shares, by name */
    int exit_code;
} Outcome;

static void outcome_free(Outcome *outcome)
{
    text_free(&outcome->out);
    text_free(&outcome->error);
    text_free(&outcome->files);
}

/* --- The real shell --- */

static void read_whole(const char *path, Text *text)
{
    char buffer[4096];
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file, "%s", path);
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
        text_append(text, buffer, got);
    fclose(file);
}

static void make_folder(const char *path)
{
    remove_tree(path);
    ck_assert_int_eq(mkdir(path, 0777), 0);
}

static void make_node(void)
{
    make_folder(start);
    make_folder(shares);
    make_folder(arena_printf(arena, "%s/a", shares));
    make_folder(arena_printf(arena, "%s/a/out", shares));
    make_folder(arena_printf(arena, "%s/b", shares));
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_files(const char *folder, const char *shown, Text *files)
{
    const char *names[FILE_NAMES_MOST];
    int count = 0;
    DIR *open = opendir(folder);
    ck_assert_ptr_nonnull(open);
    for (struct dirent *entry; (entry = readdir(open));)
        if (entry->d_name[0] != '.' && count < FILE_NAMES_MOST)
            names[count++] = arena_strdup(arena, entry->d_name);
    closedir(open);
    qsort(names, (size_t)count, sizeof *names, by_text);
    for (int i = 0; i < count; i++) {
        const char *path = arena_printf(arena, "%s/%s", folder, names[i]);
        const char *name = arena_printf(arena, "%s%s", shown, names[i]);
        struct stat about;
        ck_assert_int_eq(stat(path, &about), 0);
        if (S_ISDIR(about.st_mode)) {
            list_files(path, arena_printf(arena, "%s/", name), files);
            continue;
        }
        text_printf(files, "%s: ", name);
        read_whole(path, files);
        text_add(files, "\n");
    }
}

static void run_really(const char *line, Outcome *outcome)
{
    const char *out = arena_printf(arena, "%s/stdout", root);
    const char *error = arena_printf(arena, "%s/stderr", root);
    make_node();
    char *environment[VARIABLES + 3] = {(char *)"PATH=/usr/bin:/bin", (char *)"LC_ALL=C"};
    for (int i = 0; i < VARIABLES; i++)
        environment[i + 2] = arena_printf(arena, "%s=%s", variables[i].name, variables[i].value);
    char *const words[] = {(char *)"bash", (char *)"-c", arena_strdup(arena, line), NULL};
    // fork would be slow with sanitizers.
    posix_spawn_file_actions_t streams;
    posix_spawn_file_actions_init(&streams);
    posix_spawn_file_actions_addopen(&streams, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&streams, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&streams, 2, error, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child;
    ck_assert_int_eq(chdir(start), 0);
    ck_assert_int_eq(posix_spawn(&child, "/bin/bash", &streams, NULL, words, environment), 0);
    posix_spawn_file_actions_destroy(&streams);
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    outcome->exit_code = WEXITSTATUS(status);
    read_whole(out, &outcome->out);
    read_whole(error, &outcome->error);
    list_files(shares, "", &outcome->files);
}

/* --- The interpreter --- */

static void add_part(const FileSet *files, const FilePart *part, Text *text)
{
    if (part->text) {
        text_append(text, part->text, (size_t)part->length);
        return;
    }
    const StoredFile *file = file_set_at(files, part->file);
    ck_assert(file->has_parts);
    for (int32_t i = 0; i < file->part_count; i++)
        add_part(files, &file->parts[i], text);
}

enum { VOLUME_A = 7, VOLUME_B = 9 };

/* Begins `script` on a new node. */
static ShellRun *begin(const ShellScript *script, FileSet **files)
{
    static const uint32_t volumes[] = {VOLUME_A, VOLUME_B};
    ShellSettings *settings = ARENA_NEW(arena, ShellSettings);
    *files = file_set_create(arena);
    *settings = (ShellSettings){.arena = arena,
                                .script = script,
                                .files = *files,
                                .volumes = volumes,
                                .variable_count = VARIABLES,
                                .variables = variables,
                                .directory = start,
                                .job = {3}};
    return shell_begin(settings);
}

/* Appends the file `name` with its contents, if it exists. The names come from the reported
 * changes. */
static void show_file(const FileSet *files, const char *name, Text *text)
{
    bool is_a = name[0] == 'a';
    const char *path = is_a ? name + 2 : arena_printf(arena, "sub/folder/%s", name + 2);
    uint32_t number = file_set_find(files, is_a ? VOLUME_A : VOLUME_B, path);
    if (number == FILE_NONE)
        return;
    text_printf(text, "%s: ", name);
    size_t before = text->length;
    FilePart part = {.file = number};
    add_part(files, &part, text);
    ck_assert_int_eq((int64_t)(text->length - before), file_set_at(files, number)->bytes);
    text_add(text, "\n");
}

static void note_name(const char **names, int *count, const ShellChange *change)
{
    const char *shown = change->volume == VOLUME_A
                            ? arena_printf(arena, "a/%s", change->path)
                            : arena_printf(arena, "b/%s", change->path + strlen("sub/folder/"));
    for (int i = 0; i < *count; i++)
        if (strcmp(names[i], shown) == 0)
            return;
    ck_assert_int_lt(*count, FILE_NAMES_MOST);
    names[(*count)++] = shown;
}

/* Runs the script without waiting for its sleeps; returns the sum of the sleeps. */
static int64_t run_ours(const char *line, Outcome *outcome)
{
    FileSet *files;
    ShellRun *run = begin(read_line(line), &files);
    const char *names[FILE_NAMES_MOST];
    int count = 0;
    int64_t now_ns = 0;
    do {
        now_ns += shell_continue(run, now_ns);
        for (int32_t i = 0; i < run->change_count; i++)
            note_name(names, &count, &run->changes[i]);
    } while (!run->is_over);
    outcome->exit_code = run->exit_code;
    for (int32_t i = 0; i < run->output_count; i++)
        add_part(files, &run->outputs[i].part,
                 run->outputs[i].is_error ? &outcome->error : &outcome->out);
    qsort(names, (size_t)count, sizeof *names, by_text);
    for (int i = 0; i < count; i++)
        show_file(files, names[i], &outcome->files);
    return now_ns;
}

/* Adds to `wrong` what differs. */
static void compare(const char *line, Text *wrong)
{
    Outcome theirs = {0}, ours = {0};
    if (!read_line(line)) {
        text_printf(wrong, "not understood: %s\n", line);
        return;
    }
    run_really(line, &theirs);
    run_ours(line, &ours);
    const Text *pairs[][2] = {
        {&ours.out, &theirs.out}, {&ours.error, &theirs.error}, {&ours.files, &theirs.files}};
    const char *const what[] = {"stdout", "stderr", "files"};
    for (int i = 0; i < 3; i++) {
        size_t length = pairs[i][0]->length;
        if (length != pairs[i][1]->length ||
            memcmp(text_string(pairs[i][0]), text_string(pairs[i][1]), length) != 0)
            text_printf(wrong, "%s of: %s\nours:\n%s\ntheirs:\n%s\n", what[i], line,
                        text_string(pairs[i][0]), text_string(pairs[i][1]));
    }
    if (ours.exit_code != theirs.exit_code)
        text_printf(wrong, "exit code of: %s\nours %d, theirs %d\n", line, ours.exit_code,
                    theirs.exit_code);
    outcome_free(&ours);
    outcome_free(&theirs);
}

static const char *const lines[] = {
    // Words and quotes.
    "echo",
    "echo hi",
    "echo  a   b ",
    "echo 'a   b'",
    "echo \"a   b\"",
    "echo a'b'\"c\"d",
    "echo '' x \"\"",
    "echo a\\ b \\\\ \\$ONE \\'",
    "echo \"a\\\\b \\$ONE \\\" \\n\"",
    "echo 'it'\\''s'",
    "echo $ONE ${ONE}s \"$ONE\" '$ONE'",
    "echo $GREETING",
    "echo \"$GREETING\"",
    "echo x$GREETING-y",
    "echo $EMPTY",
    "echo a $EMPTY b",
    "echo \"$EMPTY\" b",
    "echo a#b # c",
    "# nothing\necho hi",
    "echo $ 5$ \"$\"",
    "echo a=b a==b",
    "echo \"$STARS\"",
    "echo $OPTION x",
    "echo a\\\nb",
    "echo a \\\n b",
    "echo 'a\nb'",
    "echo \"a\nb\"",
    "echo $?",
    "false\necho $?",
    "false || echo \"status $?\"",
    "echo [ ] !",
    "echo a,b;echo c:d",
    "echo %s a%",
    "echo -- x",
    "echo - x",
    "echo ${ONE}two",
    "echo '*' \"?\" \\*",
    // echo's options and escapes.
    "echo -n a; echo b",
    "echo -e 'a\\tb\\\\c\\n'",
    "echo -ne 'a\\n'",
    "echo -e a\\\\cb c",
    "echo -E 'a\\tb'",
    "echo 'a\\tb'",
    "echo -e '\\0101\\x41\\e[0m'",
    "echo -e '\\q\\1'",
    "echo -nx",
    "echo -e -n x",
    "echo -n -e 'x\\ty'",
    "echo -e 'a\\0b' '\\x'",
    "echo \"$SLASHES\"",
    "sh -c 'echo \"a\\tb\"'",
    "sh -c 'echo -n x'",
    "sh -c 'echo -e x'",
    "sh -c 'echo \"a\\cb\" c'",
    "sh -c 'echo -n -n x'",
    "sh -c 'echo \"\\0101\\q\"'",
    // printf.
    "printf hi",
    "printf 'hi\\n'",
    "printf '%s\\n' a b c",
    "printf '%s-%s\\n' a b c",
    "printf '%5s|%-5s|%.2s\\n' abc abc abc",
    "printf '%d %i %05d %+d\\n' 7 -3 42 5",
    "printf '%x %X %o %u\\n' 255 255 8 9",
    "printf '%d%%\\n' 50",
    "printf '\\101\\t\\\\\\n'",
    "printf '%s\\n'",
    "printf 'none\\n' a b",
    "printf '%s %d\\n' a 1 b 2",
    "printf -- '%s\\n' -x",
    "printf '%s\\n' \"$GREETING\"",
    "printf '%s\\n' $GREETING",
    "printf '%d\\n' $AZ_BATCHAI_NUM_GPUS",
    "echo a $AZ_BATCHAI_OUTPUT_NONE \"$AZ_BATCHAI_NONE\" $AZ_BATCHAI_OUTPUT_NONE/b",
    "[ -n \"$AZ_BATCHAI_TASK_INDEX\" ] || echo unset; AZ_BATCHAI_FOO=1; echo $AZ_BATCHAI_FOO",
    "false && export AZ_BATCHAI_FOO=1; echo \"<$AZ_BATCHAI_FOO>\"",
    "sh -c \"printf '%s|' a b\"",
    "printf '%#x %-4d|\\n' 16 7",
    "printf ''",
    // Exit status.
    "true",
    "false",
    ":",
    "exit",
    "exit 3",
    "exit 256",
    "exit 257",
    "false; exit",
    "exit 300; echo no",
    "true && echo a",
    "false && echo a",
    "true || echo a",
    "false || echo a",
    "false && echo a || echo b",
    "true && false || echo c",
    "true || echo a && echo b",
    "false; echo $?",
    "true; false",
    "false\n\n\ntrue",
    "false &&\necho x",
    "false ||\n\necho x; echo y",
    "exit $?",
    "false; exit $?",
    "true anything",
    ": $ONE",
    "exit 0; false",
    "false && exit 5; exit 6",
    // Pipes.
    "echo hi | cat",
    "echo hi | cat | cat",
    "echo hi | tee out.txt; cat out.txt",
    "false | true",
    "true | false",
    "echo a | true",
    "echo a | cat - - ",
    "echo hi | exit 4",
    "echo a | echo b",
    "printf 'a\\nb' | tee x | cat; cat x",
    "echo hi |\ncat",
    "cat",
    "cat -",
    "echo a | cat missing -",
    "echo hi | tee $AZ_BATCHAI_OUTPUT_OUT/result.txt",
    "echo hi | tee $AZ_BATCHAI_OUTPUT_OUT/hi.txt $AZ_BATCHAI_OUTPUT_OUT/too.txt",
    "echo hi | tee -a $AZ_BATCHAI_OUTPUT_OUT/a; echo ho | tee -a $AZ_BATCHAI_OUTPUT_OUT/a",
    // Redirections.
    "echo hi > f; cat f",
    "echo a > f; echo b >> f; cat f",
    "echo a >> f; cat f",
    "echo a>f;cat<f",
    "echo err >&2",
    "echo err 1>&2",
    "cat missing 2>/dev/null",
    "cat missing 2>&1",
    "cat missing > f 2>&1; cat f",
    "cat missing 2>&1 > f; cat f",
    "cat missing 2> f; cat f",
    "echo a > /dev/null",
    "> f; cat f",
    "> missing/f; echo $?",
    "> f > /dev/null; cat f",
    "echo x > f; > f; cat f",
    "cat < missing",
    "cat < missing; echo $?",
    "echo hi > missing/f; echo $?",
    "echo hi > missing/f || echo failed",
    "> missing/f cat",
    "sh -c 'echo hi > missing/f; echo $?'",
    "sh -c 'cat < missing || echo $?'",
    "/bin/sh -c 'echo hi > missing/f'",
    "/bin/bash -c 'cat < missing'",
    "mkdir d; echo x > d",
    "sh -c 'mkdir d; echo x > d'",
    "echo 2>f 3; cat f",
    "echo a 2 > f; cat f",
    "echo a2>f; cat f",
    "echo one > f; cat f f > g; cat g",
    "echo a > f; cat f > f; cat f",
    "echo a > f; cat f >> f; echo $?",
    "cat < /dev/null",
    "cat /dev/null",
    "echo x > $ONE; cat one",
    "echo hi > \"$GREETING\"; cat 'hello   world'",
    "echo hi >$AZ_BATCHAI_OUTPUT_OUT/f",
    "false > $AZ_BATCHAI_OUTPUT_OUT/f",
    "cat < f > g; cat g; echo $?",
    "echo hi > $AZ_BATCHAI_JOB_MOUNT_ROOT/b/x; cd $AZ_BATCHAI_JOB_MOUNT_ROOT/b; cat x",
    "echo a 2>&1 1>&2",
    "echo hi 2>/dev/null 1>&2",
    "mkdir d\n\ncat < d/x",
    // Files.
    "echo x > a..b; cat ./a..b; cp a..b ..$ONE; cat ..one",
    "mkdir v1..2; echo x > v1..2/f...; cat v1..2/f...",
    "F=a; false || F=f; echo x > $F..b; cat f..b",
    "echo x > $AZ_BATCHAI_JOB_MOUNT_ROOT/a/f..; cat $AZ_BATCHAI_JOB_MOUNT_ROOT/a/f..",
    "mkdir d; mkdir d; echo $?",
    "mkdir a/b; echo $?",
    "mkdir -p a/b a; echo x > a/b/c; cat a/b/c",
    "mkdir d d/e; echo x > d/e/f; cat ./d//e/./f",
    "echo x > f; mkdir f",
    "echo x > f; mkdir -p f",
    "cat missing; echo $?",
    "cat a b",
    "mkdir d; cat d",
    "touch f; cat f; echo $?",
    "touch missing/f",
    "echo x > f; touch f; cat f",
    "echo x > f; cp f g; cat g",
    "cp missing g",
    "echo x > f; mkdir d; cp f d; cat d/f",
    "echo x > f; cp f f",
    "mkdir d; cp d e",
    "echo x > f; cp f missing/g",
    "echo x > f; cp f d/; echo $?",
    "mkdir -p d/; echo x > f; cp f d/; cat d/f; cd d/; pwd",
    "cp $AZ_BATCHAI_OUTPUT_OUT/missing .; echo $?",
    "echo x > f; cp f $AZ_BATCHAI_OUTPUT_OUT",
    "echo x > f; rm f; cat f; echo $?",
    "rm missing; echo $?",
    "rm -f missing; echo $?",
    "rm missing f; echo x > f; rm f missing; test -e f; echo $?",
    "mkdir d; rm d; echo $?; rm -f d; echo $?",
    "mkdir d; echo x > d/f; rm d/f; [ -e d/f ]; echo $?; [ -d d ] && echo stays",
    "echo x > f; rm f/g; echo $?; rm -f f/g; echo $?",
    "rm .; echo $?",
    "echo x > $AZ_BATCHAI_OUTPUT_OUT/f; rm $AZ_BATCHAI_OUTPUT_OUT/f; ",
    "echo one > f; rm f; echo two > f; cat f",
    "cd missing; echo $?",
    "sh -c 'cd missing; echo $?'",
    "mkdir d; cd d; echo x > f; pwd; cat f",
    "echo x > f; cd f",
    "pwd",
    "cd /tmp && pwd",
    "cd ./ && pwd",
    "mkdir -p $AZ_BATCHAI_OUTPUT_OUT/deep/er && echo x > $AZ_BATCHAI_OUTPUT_OUT/deep/er/f",
    // Tests.
    "test -f f; echo $?",
    "echo > f; test -f f; echo $?",
    "[ -e f ] || echo no",
    "[ -d . ] && echo yes",
    "mkdir d; [ -d d ] && [ -e d ] && [ ! -f d ] && echo yes",
    "touch f; [ -s f ]; echo $?",
    "echo x > f; [ -s f ]; echo $?",
    "[ -n \"$EMPTY\" ]; echo $?",
    "[ -z \"$EMPTY\" ]; echo $?",
    "[ \"$ONE\" = one ] && echo same",
    "[ \"$ONE\" != one ]; echo $?",
    "[ $ONE == two ]; echo $?",
    "[ \"$EMPTY\" ]; echo $?",
    "[ ! \"$EMPTY\" ]; echo $?",
    "test x; echo $?",
    "test ! x = y; echo $?",
    "[ -d $AZ_BATCHAI_OUTPUT_OUT ] && echo there",
    "[ -f $AZ_BATCHAI_OUTPUT_OUT/no ] || echo not",
    "test -e /dev/null; echo $?",
    "[ -e \"$ONE\" ]; echo $?",
    // Variables.
    "X=1; echo $X",
    "X='a b'; echo $X; echo \"$X\"",
    "X=a Y=b; echo $X$Y",
    "export X=1; echo $X",
    "X=$ONE-$ONE; echo ${X}",
    "X=; echo \"[$X]\"",
    "X=1; X=2; echo $X",
    "false && X=1 || X=2; echo $X",
    "X=1\nX=$X$X\necho $X",
    "export ONE; echo $ONE",
    "ONE=two; echo $ONE",
    "X=f; echo hi > $X; cat f",
    "export A=1 B=2; printf '%s ' $A $B",
    "false; X=1; echo $?",
    "X=$GREETING; echo \"$X\"",
    "D=$AZ_BATCHAI_OUTPUT_OUT; echo x > $D/f; cat $D/f",
    "false && F=g; echo hi > \"f$F\"; cat f",
    "sh -c 'false && F=f; echo hi > \"f$F\"; cat f'",
    // Shells within the shell.
    "bash -c 'echo hi'",
    "sh -c 'echo hi'",
    "bash -c \"echo $ONE\"",
    "bash -c \"echo '$ONE'\"",
    "bash -c 'echo $ONE; exit 7'",
    "bash -c \"sh -c 'exit 9'\"",
    "bash -c \"bash -c 'echo \\$ONE'\"",
    "bash -c 'X=1; echo $X' ",
    "bash -c '\necho a\ncat < missing\n'",
    "sh -c '\n\ncat < missing\n'",
    // Sleeps that take no time to try.
    "sleep 0",
    "sleep 0.001; echo a",
    "sleep 0s 0m",
    "sleep x; echo $?",
    "sleep 0 y z",
    "sleep .001s",
};

START_TEST(every_line_has_the_results_of_the_real_shell)
{
    Text wrong = {0};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        compare(lines[i], &wrong);
    ck_assert_msg(wrong.length == 0, "%s", text_string(&wrong));
    text_free(&wrong);
}
END_TEST

/* --- Lines that are not interpreted --- */

static const char *const foreign[] = {
    // Unknown commands, and unknown forms of known commands.
    "",
    "  ",
    "# nothing",
    "python train.py",
    "/bin/echo hi",
    "'echo' hi",
    "ls",
    "env",
    "hostname",
    "date",
    "nvidia-smi",
    "pip install keras",
    "echo hi && python x.py",
    "cat -n f",
    "cat $OPTION",
    "mkdir -m 700 d",
    "mkdir",
    "rm -r d",
    "rm -rf /",

    "cp -r a b",
    "rm -r a",
    "rm -rf a",
    "rm ''",
    "rm",
    "cp a",
    "cp a b c",
    "touch",
    "touch -t 0 f",
    "tee -i f",
    "sleep",
    "sleep -1",
    "sleep 1e1",
    "sleep 0x1",
    "sleep $GREETING",
    "exit x",
    "exit 1 2",
    "exit 99999",
    "exit -1",
    "cd",
    "cd -",
    "test",
    "[ x",
    "[ -f a -a -f b ]",
    "[ 1 -lt 2 ]",
    "[ $EMPTY ]",
    "[ -n $EMPTY ]",
    "[ -x f ]",
    "[ a = b = c ]",
    "set -e; echo hi",
    "unset X",
    "export",
    "export -n X",
    "export 1=2",
    "local x=1",
    "echo '\\u0041'",
    "sh -c 'echo \"\\1\"'",
    "sh -c '[ a == a ]'",
    // Syntax.
    "echo $(date)",
    "echo `date`",
    "echo $((1+1))",
    "echo ${ONE:-x}",
    "echo ${#ONE}",
    "echo $1 $@",
    "echo $$",
    "echo $!",
    "echo $#",
    "echo $'a\\n'",
    "echo $\"a\"",
    "echo *",
    "echo a?",
    "echo [a]",
    "echo {a,b}",
    "echo ~",
    "echo ~/x",
    "X=~; echo $X",
    "echo $STARS",
    "(echo a)",
    "{ echo a; }",
    "echo a & echo b",
    "echo a &",
    "! true",
    "if true; then echo a; fi",
    "for i in 1 2; do echo $i; done",
    "while true; do :; done",
    "f() { echo; }; f",
    "cat << END\nx\nEND",
    "cat <<< x",
    "echo a &> f",
    "echo a >| f",
    "echo 3> f",
    "echo 0> f",
    "cat 0<&1",
    "echo a >& f",
    "cat <> f",
    "echo 'open",
    "echo \"open",
    "echo \\",
    "echo a ;; echo b",
    "; echo a",
    "echo a && ; echo b",
    "&& echo a",
    "| cat",
    "echo a |",
    "echo a ||",
    "echo a |& cat",
    "echo a > f > g",
    "echo a > f 2> f",
    "echo a >",
    "X=1 echo $X",
    "X=1 > f",
    "X+=1",
    "case x in x) echo;; esac",
    "echo a | sleep 1",
    "X=1 | cat",
    "cd /tmp | cat",
    "exec echo",
    ". f",
    "eval echo",
    "echo a\r",
    "function f",
    "time sleep 1",
    "bash -c",
    "bash -c 'echo' x",
    "bash x.sh",
    "bash -lc 'echo'",
    "bash -c 'python x.py'",
    "ksh -c 'echo'",
    "bash -c \"echo $?\"",
    "bash -c \"$STARS\"",
    // Files and variables of an operating system.
    "cat /etc/hostname",
    "echo $HOME",
    "echo $PATH",
    "echo $UNKNOWN",
    "cat /proc/cpuinfo",
    "echo x > /etc/f",
    "cat /",
    "cat ../x",
    "cat $ONE/../x",
    "cat a..b/..",
    "F=a; false || F=f; cat $F/..",
    "X=..; cat $X/f",
    "false && F=f; echo hi > $F",
    "echo hi > $GREETING",
    "echo $SLASHES",
    "touch d/",
    "cat f/",
    "cd /usr",
    "X=/etc; cat $X/f",
    "test -d /opt",
    "PATH=/x; cat f",
    "IFS=,; echo hi",
    "LC_ALL=C; echo",
    "HOME=/; echo",
    "cat ''",
    "cat $EMPTY",
    // Arguments that printf reports as errors.
    "printf",
    "printf $ONE",
    "printf %d x",
    "printf %d 010",
    "printf '%d\\n' \"$GREETING\"",
    "printf '%z'",
    "printf '%*d' 3 4",
    "printf '\\q'",
    "printf '%b' x",
    "printf '%c' x",
    "printf '%9999d' 1",
    "printf -v X 1",
    "printf '%'",
    "printf %d 99999999999999999999",
    "printf '%d %d\\n' $GREETING",
};

START_TEST(lines_that_are_not_simple_commands_are_refused)
{
    Text wrong = {0};
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        if (read_line(foreign[i]))
            text_printf(&wrong, "understood: %s\n", foreign[i]);
    ck_assert_msg(wrong.length == 0, "%s", text_string(&wrong));
    text_free(&wrong);
}
END_TEST

START_TEST(a_refusal_names_the_command)
{
    static const struct {
        const char *line, *command, *unknown_name; /* NULL: none */
    } rows[] = {
        {"slep 5", "slep 5", "slep"},
        {"echo a; X=1; sleepp 20m # rest", "sleepp 20m # rest", "sleepp"},
        {"echo a | ls && exit", "ls ", "ls"},
        {"bash -c 'echo a\nexti 3'", "exti 3", "exti"},
        {"echo a; exit foo; exit 1", "exit foo", NULL},
        {"sleep 5 & exit 2", "sleep 5 &", NULL},
        {"echo a &&", "echo a &&", NULL},
        {"true && ;exit 3", ";exit 3", NULL},
        {"\"slep\" 5", "\"slep\" 5", NULL},
        {"", NULL, NULL},
        {" # nothing", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ShellRefusal refusal;
        ck_assert_ptr_null(shell_read(arena, rows[i].line, 0, NULL, &mounts, &refusal));
        ck_assert_pstr_eq(refusal.command, rows[i].command);
        ck_assert_pstr_eq(refusal.unknown_name, rows[i].unknown_name);
    }
}
END_TEST

START_TEST(the_length_of_words_is_limited)
{
    // Each line doubles X: 2^40 letters in the end.
    Text doubling = {0};
    text_add(&doubling, "X=aaaaaaaa\n");
    for (int i = 0; i < 40; i++)
        text_add(&doubling, "X=$X$X\n");
    ck_assert_ptr_null(read_line(text_string(&doubling)));
    text_clear(&doubling);
    text_add(&doubling, "echo ");
    for (int i = 0; i < (1 << 16); i++)
        text_add(&doubling, "a");
    ck_assert_ptr_null(read_line(text_string(&doubling)));
    text_free(&doubling);
}
END_TEST

START_TEST(files_that_double_keep_their_size_and_lose_their_contents)
{
    // 40 doublings of 2 bytes: 2 TiB, too much to keep in memory.
    Text line = {0};
    text_add(&line, "echo a > f0\n");
    for (int i = 0; i < 40; i++)
        text_printf(&line, "cat f%d f%d > f%d\n", i, i, i + 1);
    text_add(&line, "cp f40 $AZ_BATCHAI_OUTPUT_OUT/large; cat f40 f40 f40; echo end");
    FileSet *files;
    ShellRun *run = begin(read_line(text_string(&line)), &files);
    ck_assert_int_eq(shell_continue(run, 0), 0);
    uint32_t large = file_set_find(files, VOLUME_A, "out/large");
    ck_assert_int_eq(file_set_at(files, large)->bytes, INT64_C(1) << 41);
    ck_assert(!file_set_at(files, large)->has_parts);
    ck_assert_int_eq(run->output_count, 1); // the first of the three; the rest is not shown
    text_free(&line);
}
END_TEST

/* --- Time --- */

START_TEST(only_sleeps_take_time)
{
    static const struct {
        const char *line;
        int64_t ns;
    } rows[] = {
        {"echo hi; cat missing; mkdir d", 0},
        {"sleep 1", NS_PER_S},
        {"sleep 1.5s; sleep 2m", NS_PER_S * 3 / 2 + 2 * NS_PER_MIN},
        {"sleep 1h 1d", NS_PER_HOUR + NS_PER_DAY},
        {"sleep .25", NS_PER_S / 4},
        {"sleep 2.", 2 * NS_PER_S},
        {"sleep 0.000000001m", 60},
        {"false && sleep 10; true || sleep 10; sleep 3", 3 * NS_PER_S},
        {"sleep 5; exit 0; sleep 7", 5 * NS_PER_S},
        {"sleep x 5 || sleep 1", NS_PER_S},
        {"D=4; sleep $D", 4 * NS_PER_S},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Outcome outcome = {0};
        int64_t ns = run_ours(rows[i].line, &outcome);
        ck_assert_msg(ns == rows[i].ns, "%s: %lld ns, expected %lld", rows[i].line, (long long)ns,
                      (long long)rows[i].ns);
        outcome_free(&outcome);
    }
}
END_TEST

START_TEST(a_command_reads_files_when_it_runs)
{
    FileSet *files;
    ShellRun *run =
        begin(read_line("echo a; sleep 10; cat $AZ_BATCHAI_OUTPUT_OUT/f && echo b"), &files);
    ck_assert_int_eq(shell_continue(run, 100), 10 * NS_PER_S);
    ck_assert(!run->is_over);
    ck_assert_int_eq(run->output_count, 1);
    static const FilePart part = {.text = "later", .length = 5};
    file_set_put(files, &(StoredFile){.volume = VOLUME_A,
                                      .path = "out//f",
                                      .bytes = 5,
                                      .has_parts = true,
                                      .part_count = 1,
                                      .parts = &part});
    ck_assert_int_eq(shell_continue(run, 10 * NS_PER_S + 100), 0);
    ck_assert(run->is_over);
    ck_assert_int_eq(run->exit_code, 0);
    ck_assert_int_eq(run->output_count, 3);
    ck_assert_str_eq(run->outputs[1].part.text, "later");
    ck_assert_int_eq(run->outputs[0].at_ns, 100);
    ck_assert_int_eq(run->outputs[1].at_ns, 10 * NS_PER_S + 100);
}
END_TEST

START_TEST(a_changed_file_on_a_share_is_reported_once_between_two_sleeps)
{
    FileSet *files;
    ShellRun *run = begin(
        read_line("cd $AZ_BATCHAI_OUTPUT_OUT; echo a > f; echo b >> f; cat f > f;"
                  " echo abc > f; echo x > /tmp/y; sleep 1; touch g; touch f; sleep 1; cat h"),
        &files);
    shell_continue(run, 0);
    ck_assert_int_eq(run->change_count, 1);
    ck_assert_str_eq(run->changes[0].path, "out/f");
    ck_assert_int_eq(file_set_at(files, run->changes[0].file)->bytes, 4);
    ck_assert_int_eq(file_set_at(files, run->changes[0].file)->job.index, 3);
    shell_continue(run, NS_PER_S);
    ck_assert_int_eq(run->change_count, 2);
    ck_assert_str_eq(run->changes[0].path, "out/g");
    ck_assert_int_eq(file_set_at(files, run->changes[1].file)->bytes, 4);
    shell_continue(run, 2 * NS_PER_S);
    ck_assert_int_eq(run->change_count, 0);
    ck_assert_int_eq(run->exit_code, 1);
}
END_TEST

START_TEST(printed_text_does_not_change_with_its_file)
{
    FileSet *files;
    ShellRun *run = begin(
        read_line("cat $AZ_BATCHAI_OUTPUT_OUT/f; sleep 1; cat $AZ_BATCHAI_OUTPUT_OUT/f"), &files);
    StoredFile upload = {.volume = VOLUME_A, .path = "out/f", .bytes = 1000, .job = {ID_NONE}};
    file_set_put(files, &upload); // of which only the size is known
    shell_continue(run, 0);
    upload.bytes = 2000;
    file_set_put(files, &upload);
    shell_continue(run, NS_PER_S);
    ck_assert_int_eq(run->output_count, 2);
    ck_assert_int_eq(file_set_at(files, run->outputs[0].part.file)->bytes, 1000);
    ck_assert_int_eq(file_set_at(files, run->outputs[1].part.file)->bytes, 2000);
}
END_TEST

/* --- Surroundings --- */

START_TEST(a_secret_is_printed_if_its_value_is_known)
{
    Outcome outcome = {0};
    variables[6].value = NULL; // ONE
    FileSet *files;
    ShellRun *run = begin(read_line("echo \"$ONE\""), &files);
    shell_continue(run, 0);
    ck_assert_str_eq(run->outputs[0].part.text, "(secret)\n");
    variables[6].secret = "hush"; // its value is known
    run = begin(read_line("echo \"$ONE\""), &files);
    shell_continue(run, 0);
    ck_assert_str_eq(run->outputs[0].part.text, "hush\n");
    outcome_free(&outcome);
}
END_TEST

START_TEST(a_path_segment_that_is_chosen_later_reaches_a_nested_script)
{
    variables[2].value = "/mnt/batch/tasks/shared/LS_root/mounts/a/{segment}/outputs/";
    ck_assert_ptr_nonnull(read_line("bash -c \"echo hi > $AZ_BATCHAI_OUTPUT_OUT/f\""));
    // In single quotes the inner shell would see no variable.
    ck_assert_ptr_null(read_line("bash -c \"echo '$AZ_BATCHAI_OUTPUT_OUT'\""));
}
END_TEST

START_TEST(the_content_of_an_unmanaged_mount_is_unknown)
{
    mount_items[1].share = NULL;
    ck_assert_ptr_null(read_line("cat $AZ_BATCHAI_JOB_MOUNT_ROOT/b/f"));
    ck_assert_ptr_nonnull(read_line("echo hi; sleep 3"));
    mount_items[1].share = &share_b;
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("shell_read");
    TCase *cases = tcase_create("scripts");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, every_line_has_the_results_of_the_real_shell);
    tcase_add_test(cases, lines_that_are_not_simple_commands_are_refused);
    tcase_add_test(cases, a_refusal_names_the_command);
    tcase_add_test(cases, the_length_of_words_is_limited);
    tcase_add_test(cases, files_that_double_keep_their_size_and_lose_their_contents);
    tcase_add_test(cases, only_sleeps_take_time);
    tcase_add_test(cases, a_command_reads_files_when_it_runs);
    tcase_add_test(cases, a_changed_file_on_a_share_is_reported_once_between_two_sleeps);
    tcase_add_test(cases, printed_text_does_not_change_with_its_file);
    tcase_add_test(cases, a_secret_is_printed_if_its_value_is_known);
    tcase_add_test(cases, a_path_segment_that_is_chosen_later_reaches_a_nested_script);
    tcase_add_test(cases, the_content_of_an_unmanaged_mount_is_unknown);
    suite_add_tcase(suite, cases);
    return suite;
}

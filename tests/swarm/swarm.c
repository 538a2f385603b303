/* Random scenario files, and small ones out of large ones; for tools/swarm.sh.
 *
 *     swarm make SEED [--with FEATURE]... [--without FEATURE]...    prints a scenario
 *     swarm shrink FILE COMMAND...     prints the smallest scenario that it finds for which
 * COMMAND, given the name of a file with it, still ends with code 0 swarm features lists the
 * features, and which are on
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/cli/files.h"
#include "sim/cli/report.h"
#include "tests/support/json_shrink.h"
#include "tests/support/swarm_scenario.h"

enum { FILE_BYTES_MAX = 16 << 20, ASKS_MAX = 3000 };

static int usage(void)
{
    fputs("usage: swarm make SEED [--with FEATURE]... [--without FEATURE]...\n"
          "       swarm shrink FILE COMMAND...\n"
          "       swarm features\n",
          stderr);
    return EXIT_BAD_INPUT;
}

static int print(const Json *root)
{
    Text text = {0};
    json_print(&text, root, JSON_INDENTED);
    fputs(text_string(&text), stdout);
    text_free(&text);
    return EXIT_FINE;
}

/* --- make --- */

/* A bit, or 0. */
static uint32_t feature_bit(const char *name)
{
    for (int i = 0; i < SWARM_FEATURE_COUNT; i++)
        if (strcmp(name, swarm_feature_name((SwarmFeature)i)) == 0)
            return UINT32_C(1) << i;
    return 0;
}

static int make(Arena *arena, int count, char **words)
{
    char *end;
    errno = 0;
    uint64_t seed = count > 0 ? strtoull(words[0], &end, 10) : 0;
    if (count % 2 == 0 || *words[0] == '\0' || *end != '\0' || errno != 0)
        return usage();
    uint32_t features = swarm_features_built();
    for (int i = 1; i < count; i += 2) {
        uint32_t bit = feature_bit(words[i + 1]);
        if (bit == 0 || (strcmp(words[i], "--with") != 0 && strcmp(words[i], "--without") != 0))
            return usage();
        features = strcmp(words[i], "--with") == 0 ? features | bit : features & ~bit;
    }
    return print(swarm_scenario(arena, seed, features));
}

static int list_features(void)
{
    for (int i = 0; i < SWARM_FEATURE_COUNT; i++)
        printf("%-14s %s\n", swarm_feature_name((SwarmFeature)i),
               swarm_features_built() >> i & 1 ? "on" : "off");
    return EXIT_FINE;
}

/* --- shrink --- */

typedef struct {
    char **command;   /* [word_count + 2]: the words, the file, NULL */
    const char *file; /* where the candidate goes */
} Question;

static bool command_says_yes(char **command)
{
    pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stdout) == NULL)
            _exit(127);
        execvp(command[0], command);
        _exit(127);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static bool still_shows(void *context, const Json *root)
{
    const Question *question = context;
    Text text = {0};
    Status status = {0};
    json_print(&text, root, JSON_INDENTED);
    bool is_written = file_write(question->file, text_string(&text), text.length, &status);
    text_free(&text);
    return is_written && command_says_yes(question->command);
}

static int shrink(Arena *arena, int count, char **words)
{
    if (count < 2)
        return usage();
    Status status = {0};
    char *text;
    size_t length;
    if (!file_read(arena, words[0], FILE_BYTES_MAX, &text, &length, &status))
        return report_status(&status);
    Problems problems = problems_create(arena);
    const Json *root = json_parse(arena, words[0], text, length, JSON_WITH_COMMENTS, &problems);
    if (root == NULL)
        return report_problems(&problems);
    char *file = arena_printf(arena, "%s.try.json", words[0]);
    Question question = {.command = ARENA_ARRAY(arena, char *, count + 1), .file = file};
    for (int i = 1; i < count; i++)
        question.command[i - 1] = words[i];
    question.command[count - 1] = file;
    if (!still_shows(&question, root)) {
        fprintf(stderr, "swarm: %s itself does not show it: \"%s\" says no\n", words[0], words[1]);
        remove(file);
        return EXIT_NO;
    }
    print(json_shrink(arena, root, still_shows, &question, ASKS_MAX));
    remove(file);
    return EXIT_FINE;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return usage();
    Arena *arena = arena_create();
    int exit_code = strcmp(argv[1], "make") == 0     ? make(arena, argc - 2, argv + 2)
                    : strcmp(argv[1], "shrink") == 0 ? shrink(arena, argc - 2, argv + 2)
                    : strcmp(argv[1], "features") == 0 && argc == 2 ? list_features()
                                                                    : usage();
    arena_destroy(arena);
    return exit_code;
}

/* `trainyard VERB ...`: finds the verb and runs it. A verb that is not built in may be a separate
 * program, trainyard-VERB, in the folder of this program or on PATH. The simulator itself therefore
 * links neither HTTP nor MPI nor CUDA nor
 * GSL. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/files.h"
#include "sim/cli/launcher.h"
#include "sim/cli/man_page.h"
#include "sim/cli/streams.h"
#include "tools/trainyard/emu/az_env_options.h"
#include "tools/trainyard/emu/export_options.h"
#include "tools/trainyard/emu/serve_options.h"
#include "tools/trainyard/real/calibrate_options.h"
#include "tools/trainyard/sqlite/sqlite_options.h"
#include "tools/trainyard/train/bench_allreduce_options.h"
#include "tools/trainyard/train/bench_training_options.h"
#include "tools/trainyard/train/evaluate_options.h"
#include "tools/trainyard/train/make_cifar_options.h"
#include "tools/trainyard/train/train_options.h"
#include "tools/trainyard/verbs.h"

const Verb *const verbs[] = {
    &verb_run,     &verb_sweep,  &verb_plan,       &verb_advise, &verb_merge,
    &verb_show,    &verb_launch, &verb_validate,   &verb_test,   &verb_explain,
    &verb_diff,    &verb_report, &verb_predict,    &verb_import, &verb_waits,
    &verb_compare, &verb_schema, &verb_completion, NULL,
};

const OptionTable *const programs[] = {
    &calibrate_option_table,
    &train_option_table,
    &evaluate_option_table,
    &make_cifar_option_table,
    &bench_training_option_table,
    &bench_allreduce_option_table,
    &serve_option_table,
    &az_env_option_table,
    &sqlite_option_table,
    &export_option_table,
    NULL,
};

typedef struct {
    bool wants_version;
} MainOptions;

#define OWNER MainOptions
static const Field main_options[] = {
    OPTION_FLAG('V', "version", wants_version, "print the version and stop"),
    {0},
};
#undef OWNER

/* The options of the program itself, as a verb without a name. `verb_list` goes into its --help. */
static OptionTable main_table(const char *verb_list)
{
    return (OptionTable){
        .operands = "VERB ...",
        .summary = "Rehearses GPU training clusters before anyone pays for them: simulates "
                   "clusters, jobs, "
                   "file shares and their cost from a scenario file, the same way each time.",
        .details = verb_list,
        .example = "trainyard run scenarios/cifar10-horovod/scenario.json -o run\n"
                   "trainyard help run",
        .options = main_options,
        .operand_count_max = 1,
    };
}

enum { VERB_WIDTH = 17 }; // the longest name and two spaces

static void list_verb(const char *name, const char *summary, Text *out)
{
    text_printf(out, "  %-*s%s\n", VERB_WIDTH, name, summary);
}

static void list_verbs(Text *out)
{
    text_add(out, "Verbs:\n");
    for (int32_t i = 0; verbs[i]; i++)
        list_verb(verbs[i]->options->name, verbs[i]->options->summary, out);
    for (int32_t i = 0; programs[i]; i++)
        list_verb(programs[i]->name, programs[i]->summary, out);
    list_verb("help VERB", "Prints the same text as `trainyard VERB --help`.", out);
    text_add(out, "\nA program named trainyard-NAME, in the folder of this program or on PATH, is "
                  "a verb too.");
}

static void print_help_of(const OptionTable *table, FILE *stream)
{
    Text help = {0};
    options_help(table, &help);
    fputs(text_string(&help), stream);
    text_free(&help);
}

static void print_help(FILE *stream)
{
    Text verb_list = {0};
    list_verbs(&verb_list);
    const OptionTable table = main_table(text_string(&verb_list));
    print_help_of(&table, stream);
    text_free(&verb_list);
}

static const Verb *verb_find(const char *name)
{
    for (int32_t i = 0; verbs[i]; i++)
        if (strcmp(verbs[i]->options->name, name) == 0)
            return verbs[i];
    return NULL;
}

static const OptionTable *program_find(const char *name)
{
    for (int32_t i = 0; programs[i]; i++)
        if (strcmp(programs[i]->name, name) == 0)
            return programs[i];
    return NULL;
}

static int fail_unknown_verb(const char *name)
{
    enum { NAMES_MAX = 64 };
    const char *names[NAMES_MAX] = {"help"};
    int32_t count = 1;
    for (int32_t i = 0; verbs[i] && count < NAMES_MAX; i++)
        names[count++] = verbs[i]->options->name;
    for (int32_t i = 0; programs[i] && count < NAMES_MAX; i++)
        names[count++] = programs[i]->name;
    Status status;
    status_fail(&status, STATUS_BAD_INPUT, place_in("trainyard", 0, 0), "unknown verb \"%s\"",
                name);
    const char *nearest = nearest_name(name, names, count);
    if (nearest)
        status_hint(&status, "did you mean \"%s\"?", nearest);
    else
        status_hint(&status, "\"trainyard --help\" lists the verbs");
    return report_status(&status);
}

/* trainyard-study-mpi runs built-in verbs on ranks. */
static const char ranks_program[] = "study-mpi";

static bool is_ranks_program(const char *name)
{
    return strcmp(name, ranks_program) == 0;
}

static int fail_missing_program(const char *name)
{
    Status status;
    status_fail(&status, STATUS_MACHINE, place_in("trainyard", 0, 0),
                "the program trainyard-%s is neither in the folder of this program nor on PATH",
                name);
    if (is_ranks_program(name))
        status_hint(&status, "it is built where Open MPI is (package libopenmpi-dev); without it, "
                             "use --shard I/N");
    else
        status_hint(&status, "\"cmake --build\" builds both programs, \"cmake --install\" installs "
                             "both into one folder");
    return report_status(&status);
}

/* Called when the program trainyard-`name` cannot be started. If a shell evaluates the output of
 * this program, prints code that makes the evaluation fail. */
static void guard_evaluation(const char *name, char **argv)
{
    const OptionTable *program = program_find(name);
    int argc = 0;
    while (argv[argc])
        argc++;
    if (program && program->print_guard)
        program->print_guard("its program cannot be started", argc, argv);
}

/* Replaces this process by the program trainyard-`name`. Returns an exit code only if there is no
 * such program or it cannot be started. */
static int start_program(const char *name, char **argv)
{
    if (strchr(name, '/'))
        return fail_unknown_verb(name); // only names are verbs, not paths
    Text path = {0};
    folder_of_program(&path);
    const size_t folder_length = path.length;
    text_printf(&path, "trainyard-%s", name);
    argv[0] = path.data + folder_length;
    fflush(stdout);
    execv(path.data, argv);
    if (errno == ENOENT)
        execvp(argv[0], argv);
    const int error = errno;
    int exit_code;
    guard_evaluation(name, argv);
    if (error == ENOENT) {
        exit_code = program_find(name) || is_ranks_program(name) ? fail_missing_program(name)
                                                                 : fail_unknown_verb(name);
    } else {
        Status status;
        status_fail(&status, STATUS_MACHINE, place_in("trainyard", 0, 0),
                    "starting \"%s\" failed: %s", argv[0], strerror(error));
        exit_code = report_status(&status);
    }
    text_free(&path);
    return exit_code;
}

/* The program of ranks with the verb as its first argument. */
static int start_ranks(int argc, char **argv)
{
    Arena *arena = arena_create();
    char **ranks_argv = ARENA_ARRAY(arena, char *, argc + 2); // the program, argv, NULL
    memcpy(ranks_argv + 1, argv, (size_t)argc * sizeof *argv);
    const int exit_code = start_program(ranks_program, ranks_argv);
    arena_destroy(arena);
    return exit_code;
}

/* argv[0] is the verb. */
static int run_verb(int argc, char **argv)
{
    const Verb *verb = verb_find(argv[0]);
    if (verb && verb->has_ranks && launcher_open_mpi_ranks() > 1)
        return start_ranks(argc, argv);
    return verb ? verb->run(argc, argv) : start_program(argv[0], argv);
}

static bool write_page(Arena *arena, const char *folder, const OptionTable *table, Status *status)
{
    Text page = {0};
    man_page(table, TRAINYARD_VERSION, &page);
    const char *path = arena_printf(arena, "%s/trainyard%s%s.1", folder, table->name ? "-" : "",
                                    table->name ? table->name : "");
    const bool is_written = file_write(path, text_string(&page), page.length, status);
    text_free(&page);
    return is_written;
}

/* `trainyard help --man DIR` writes the manual pages of the program and of all verbs; the build
 * calls it. */
static int write_pages(const char *folder)
{
    Arena *arena = arena_create();
    Text verb_list = {0};
    list_verbs(&verb_list);
    const OptionTable own = main_table(text_string(&verb_list));
    Status status;
    bool is_written = folder_create(folder, &status) && write_page(arena, folder, &own, &status);
    for (int32_t i = 0; verbs[i] && is_written; i++)
        is_written = write_page(arena, folder, verbs[i]->options, &status);
    for (int32_t i = 0; programs[i] && is_written; i++)
        is_written = write_page(arena, folder, programs[i], &status);
    text_free(&verb_list);
    arena_destroy(arena);
    return is_written ? EXIT_FINE : report_status(&status);
}

/* `trainyard help VERB` prints the same text as `trainyard VERB --help`, for built-in verbs and for
 * separate programs. */
static int run_help(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--man") == 0)
        return write_pages(argv[2]);
    if (argc < 2 || argv[1][0] == '-' || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return EXIT_FINE;
    }
    const OptionTable *program = program_find(argv[1]);
    if (program) { // works even if the program is not installed
        print_help_of(program, stdout);
        return EXIT_FINE;
    }
    static char help_word[] = "--help";
    char *verb_argv[] = {argv[1], help_word, NULL};
    return run_verb(2, verb_argv);
}

/* Handles `option`, the first argument, in place of a verb: --help, --version or an error. */
static int run_main_option(char *program, char *option)
{
    char *argv[] = {program, option, NULL};
    const OptionTable table = main_table(NULL);
    Arena *arena = arena_create();
    MainOptions options = {0};
    Operands operands;
    bool wants_help;
    Status status;
    int exit_code = EXIT_FINE;
    if (!options_parse(&table, arena, 2, argv, &options, &operands, &wants_help, &status))
        exit_code = report_status(&status);
    else if (options.wants_version)
        puts("trainyard " TRAINYARD_VERSION);
    else
        print_help(stdout);
    arena_destroy(arena);
    return exit_code;
}

/* How many of the first arguments are --color and its value, which may precede the verb. */
static int colour_arguments(int argc, char **argv)
{
    static const char option[] = "--color";
    const size_t length = sizeof option - 1;
    if (argc < 2 || strncmp(argv[1], option, length) != 0)
        return 0;
    return argv[1][length] == '=' ? 1 : argv[1][length] == '\0' && argc > 2 ? 2 : 0;
}

/* The verb reads --color, so the option and its value follow the verb. */
static int dispatch(int argc, char **argv)
{
    const int colour = colour_arguments(argc, argv);
    char *const first = argc > 1 + colour ? argv[1 + colour] : NULL;
    if (first == NULL) {
        print_help(stderr);
        return EXIT_BAD_INPUT;
    }
    if (first[0] == '-')
        return run_main_option(argv[0], first);
    if (strcmp(first, "help") == 0)
        return run_help(argc - 1 - colour, argv + 1 + colour);
    memmove(argv + 2, argv + 1, (size_t)colour * sizeof *argv);
    argv[1] = first;
    return run_verb(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    streams_guard();
    int exit_code = dispatch(argc, argv);
    Status status;
    if (!streams_finish(&status))
        exit_code = report_status(&status);
    return exit_code;
}

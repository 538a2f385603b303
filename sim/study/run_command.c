#include "sim/study/run_command.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/cli/shell_code.h"
#include "sim/study/point_scenario.h"

static void add_word(Arena *arena, CommandWords *words, const char *word)
{
    words->items[words->count++] = arena_strdup(arena, word);
}

CommandWords run_command_words(Arena *arena, const StudyPoint *point, const char *seed,
                               const char *output)
{
    enum { FIXED = 7 };
    CommandWords words = {.items = ARENA_ARRAY(arena, char *, point->option_count + FIXED)};
    add_word(arena, &words, "run");
    add_word(arena, &words, point->scenario_path);
    add_word(arena, &words, "--seed");
    add_word(arena, &words, seed);
    for (int32_t i = 0; i < point->option_count; i++)
        add_word(arena, &words, point->options[i]);
    if (output != NULL) {
        add_word(arena, &words, "-o");
        add_word(arena, &words, output);
    }
    return words;
}

const char *run_command_text(Arena *arena, const CommandWords *words)
{
    Text line = {0};
    text_add(&line, "trainyard");
    for (int32_t i = 0; i < words->count; i++) {
        text_add(&line, " ");
        code_word(words->items[i], CODE_SH, &line);
    }
    return text_move(arena, &line);
}

StudyPoint run_command_point(Arena *arena, const Study *study, int32_t point)
{
    int32_t count;
    const Setting *settings = point_settings(arena, study, point, &count);
    const char **options = ARENA_ARRAY(arena, const char *, 2 * count + 1);
    for (int32_t i = 0; i < count; i++) {
        options[2 * i] = setting_option(&settings[i]);
        options[2 * i + 1] = setting_change(arena, &settings[i]);
    }
    return (StudyPoint){.scenario_path = study->scenario_path,
                        .name = point_name(arena, study, point),
                        .option_count = 2 * count,
                        .options = options};
}

/* "36000s", "0.500000000s" */
static void exact_seconds_print(Text *text, int64_t ns)
{
    text_printf(text, "%" PRId64, ns / NS_PER_S);
    if (ns % NS_PER_S != 0)
        text_printf(text, ".%09" PRId64, ns % NS_PER_S);
    text_add(text, "s");
}

void run_command_add_plan(Arena *arena, StudyPoint *point, const SteadyPlan *plan)
{
    const MeasureWindow window = steady_window(plan);
    Text text = {0};
    text_add(&text, "/measure={\"from\": \"");
    exact_seconds_print(&text, window.from_ns);
    text_add(&text, "\", \"until\": \"");
    exact_seconds_print(&text, window.until_ns);
    text_add(&text, "\", \"steady\": true}");
    const char **options = ARENA_ARRAY(arena, const char *, point->option_count + 2);
    memcpy(options, point->options, (size_t)point->option_count * sizeof *options);
    options[point->option_count] = "--set";
    options[point->option_count + 1] = text_move(arena, &text);
    point->options = options;
    point->option_count += 2;
}

#include "sim/study/classes/class_words.h"

#include <math.h>
#include <string.h>

#include "sim/cli/text_grid.h"
#include "sim/study/point_estimate.h"

static const char *level_label(const Study *study, const ClassTable *table, int32_t column)
{
    return study->factors[table->factor]->levels[table->levels[column]].label;
}

const char *class_title(Arena *arena, const Study *study, const ClassTable *table)
{
    const Factor *factor = study->factors[table->factor];
    const char *unit = table->scale.unit;
    return arena_printf(
        arena, "%s%s%s%s: %s compared with %s%s%s%s", table->words, unit[0] != '\0' ? " (" : "",
        unit, unit[0] != '\0' ? ")" : "", factor->name, factor->levels[table->baseline_level].label,
        table->others[0] != '\0' ? " (" : "", table->others, table->others[0] != '\0' ? ")" : "");
}

const char *class_cell_words(Arena *arena, const ClassTable *table, const ClassCell *cell)
{
    Text out = {0};
    if (cell->run_count < 2)
        return "unknown";
    if (cell->is_at_least && cell->is_at_most)
        text_add(&out, "about ");
    else if (cell->is_at_least || cell->is_at_most)
        text_add(&out, cell->is_at_least ? "\xE2\x89\xA5 " : "\xE2\x89\xA4 ");
    text_add(&out, cell->difference > 0 ? "+" : "");
    point_number_print(cell->difference, cell->half_width, table->scale.factor, &out);
    return text_move(arena, &out);
}

const char *class_verdict_words(ClassVerdict verdict)
{
    return verdict == CLASS_WINS ? "wins" : verdict == CLASS_PAYS ? "pays" : "";
}

const char *class_baseline_words(Arena *arena, const ClassTable *table, int32_t row)
{
    Text out = {0};
    const double value = table->classes[row].baseline;
    point_number_print(value, fabs(value) / 100, table->scale.factor, &out);
    const char *all = text_move(arena, &out);
    const char *sign = strstr(all, " \xC2\xB1");
    return sign != NULL ? arena_strndup(arena, all, (size_t)(sign - all)) : all;
}

/* --- Sentences --- */

static int32_t verdict_count(const ClassTable *table, int32_t column, ClassVerdict verdict)
{
    int32_t count = 0;
    for (int32_t row = 0; row < table->class_count; row++)
        count += class_cell(table, row, column)->verdict == verdict;
    return count;
}

/* The labels of the levels with or without wins and pays: "backfill, shortest"; "" without one. */
static const char *labels_with(Arena *arena, const Study *study, const ClassTable *table,
                               bool has_wins, bool has_pays)
{
    Text out = {0};
    for (int32_t column = 0; column < table->level_count; column++) {
        if ((verdict_count(table, column, CLASS_WINS) > 0) == has_wins &&
            (verdict_count(table, column, CLASS_PAYS) > 0) == has_pays)
            text_printf(&out, "%s%s", out.length > 0 ? ", " : "",
                        level_label(study, table, column));
    }
    return text_move(arena, &out);
}

static void add_sentence(Text *out, const char *labels, const char *rest)
{
    if (labels[0] != '\0')
        text_printf(out, "%sWith %s %s.", out->length > 0 ? " " : "", labels, rest);
}

const char *class_summary(Arena *arena, const Study *study, const ClassTable *table)
{
    Text out = {0};
    add_sentence(&out, labels_with(arena, study, table, true, false),
                 "some class wins and none pays");
    add_sentence(&out, labels_with(arena, study, table, true, true),
                 "some class wins and another one pays");
    add_sentence(&out, labels_with(arena, study, table, false, true),
                 "some class pays and none wins");
    add_sentence(&out, labels_with(arena, study, table, false, false),
                 "no class is shown to win or to pay");
    return text_move(arena, &out);
}

const char *class_level_words(Arena *arena, const ClassTable *table, int32_t column)
{
    Text out = {0};
    for (int32_t row = 0; row < table->class_count; row++) {
        const ClassCell *cell = class_cell(table, row, column);
        if (cell->verdict != CLASS_WINS && cell->verdict != CLASS_PAYS)
            continue;
        text_printf(&out, "%s%s %s ", out.length > 0 ? ", " : "", table->classes[row].words,
                    class_verdict_words(cell->verdict));
        point_number_print(fabs(cell->difference), cell->half_width, table->scale.factor, &out);
        if (table->scale.unit[0] != '\0')
            text_printf(&out, " %s", table->scale.unit);
    }
    return text_move(arena, &out);
}

/* --- The terminal --- */

static void print_grid(Arena *arena, const Study *study, const ClassTable *table, Text *out)
{
    TextGrid grid = {.row_count = table->class_count + 1, .column_count = table->level_count + 2};
    grid.cells = ARENA_ARRAY(arena, const char *, grid.row_count *grid.column_count);
    const char **cells = grid.cells;
    *cells++ = "jobs";
    *cells++ = study->factors[table->factor]->levels[table->baseline_level].label;
    for (int32_t column = 0; column < table->level_count; column++)
        *cells++ = level_label(study, table, column);
    for (int32_t row = 0; row < table->class_count; row++) {
        *cells++ = table->classes[row].words;
        *cells++ = class_baseline_words(arena, table, row);
        for (int32_t column = 0; column < table->level_count; column++) {
            const ClassCell *cell = class_cell(table, row, column);
            *cells++ = arena_printf(arena, "%s %s", class_cell_words(arena, table, cell),
                                    class_verdict_words(cell->verdict));
        }
    }
    text_grid_print(&grid, out);
}

void class_tables_print(const StudyFindings *findings, Text *out)
{
    Arena *scratch = arena_create();
    const ClassTables tables = class_tables(scratch, findings);
    for (int32_t i = 0; i < tables.count; i++) {
        const ClassTable *table = &tables.items[i];
        text_printf(out, "%s%s\n", i > 0 ? "\n" : "", class_title(scratch, findings->study, table));
        print_grid(scratch, findings->study, table, out);
        text_printf(out, "%s\n", class_summary(scratch, findings->study, table));
    }
    arena_destroy(scratch);
}

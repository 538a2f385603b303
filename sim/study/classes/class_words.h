/* Tables of classes (class_tables.h) in words, for the terminal and for pages. Plain text in UTF-8.
 */
#ifndef SIM_STUDY_CLASSES_CLASS_WORDS_H
#define SIM_STUDY_CLASSES_CLASS_WORDS_H

#include "sim/study/classes/class_tables.h"

/* "mean wait, h: policy compared with service (placement=consolidate)". In `arena`. */
const char *class_title(Arena *arena, const Study *study, const ClassTable *table);
/* "-52 ± 10", in the table's unit; "unknown". In `arena`. */
const char *class_cell_words(Arena *arena, const ClassTable *table, const ClassCell *cell);
/* "wins", "pays", or "". */
const char *class_verdict_words(ClassVerdict verdict);
/* The mean at the baseline, in the table's unit. In `arena`. */
const char *class_baseline_words(Arena *arena, const ClassTable *table, int32_t row);

/* "With backfill or easy some class wins, and none pays." In `arena`. */
const char *class_summary(Arena *arena, const Study *study, const ClassTable *table);
/* The winners and losers at a level: "gang wins 1.2 ± 0.3 h, short pays 4.1 ± 0.3 h"; "" if
 * no class is shown to win or to pay. In `arena`. */
const char *class_level_words(Arena *arena, const ClassTable *table, int32_t column);

/* All tables for a terminal; nothing without one. */
void class_tables_print(const StudyFindings *findings, Text *out);

#endif

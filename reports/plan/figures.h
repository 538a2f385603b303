/* The figures of a plan, in the order of its page. */
#ifndef REPORTS_PLAN_FIGURES_H
#define REPORTS_PLAN_FIGURES_H

#include "reports/figure/figure.h"
#include "reports/plan/facts.h"
#include "reports/study/figures.h"

/* Sections of the page that have figures, in addition to those of a study's page. */
enum {
    PLAN_FRONT = SECTION_COUNT,
    PLAN_PAIR,
    PLAN_WHY,
    PLAN_FLIP,
    PLAN_WINNER,
    PLAN_LOAD,
    PLAN_RISK
};

/* Whether an end of the assumption's range changes the answer. */
bool flips(const AssumptionEffect *effect);
/* "price of a dedicated Standard_NC6": the path of a value of the catalogue in words. */
const char *assumption_words(Arena *arena, const char *path);

Figures plan_figures(Arena *arena, const PlanFacts *facts);

/* Private to reports/plan: the figures of one section each. */
void figures_front(Figures *figures, const PlanFacts *facts);
void figures_pair(Figures *figures, const PlanFacts *facts);
void figures_why(Figures *figures, const PlanFacts *facts);
void figures_flip(Figures *figures, const PlanFacts *facts);
void figures_load(Figures *figures, const PlanFacts *facts);
void figures_winner(Figures *figures, const PlanFacts *facts);
void figures_risk(Figures *figures, const PlanFacts *facts);

#endif

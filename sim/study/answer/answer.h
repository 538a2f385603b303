/* The answer of a plan in a few sentences, for the person who pays: what to choose, with interval
 * and confidence, what the next best costs or loses, and what years of it cost. The terminal,
 * plan.json and the page print these sentences. Every number in them is a member of the outcome. */
#ifndef SIM_STUDY_ANSWER_ANSWER_H
#define SIM_STUDY_ANSWER_ANSWER_H

#include "sim/study/plan/plan_outcome.h"

/* Plain text in UTF-8; each is one sentence, or two where the answer has a reservation. */
typedef struct {
    const char *decision;    /* "Choose 2 nodes, size STANDARD_NC6: ..." */
    const char *alternative; /* "The next best, with 3 nodes, costs 2.7 ± 0.1 USD more a week." */
    const char *remark;      /* what all candidates have, and costs over years; "" */
    const char *reach;       /* what the answer does not cover: single runs that miss a limit, other
                                weeks than those of a log, and what a choice costs that does; "" */
} Answer;

Answer answer_of(Arena *arena, const PlanOutcome *outcome);

#endif

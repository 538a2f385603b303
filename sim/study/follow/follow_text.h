/* The findings after a plan, as lines for a terminal and as the findings in DIR/follow.json. */
#ifndef SIM_STUDY_FOLLOW_FOLLOW_TEXT_H
#define SIM_STUDY_FOLLOW_FOLLOW_TEXT_H

#include "sim/base/text.h"
#include "sim/study/follow/follow_outcome.h"

/* A line for each finding about the winner: what its jobs waited for, what idle nodes cost, its
 * headroom, the assumptions, prices and rates that would change the answer, the quotas to ask for
 * and the closed form. Nothing for an outcome without follow.json. */
void follow_text_print(const FollowOutcome *outcome, const Study *plan, Text *out);

/* "1.42 (1.31 to 1.55)"; a narrow interval, or one with an unknown bound, is left out. In `arena`.
 */
const char *follow_multiple_words(Arena *arena, const BreakEven *even);
/* "rises from 0.18 to 0.41 USD an hour, 2.29 times as much": what a price must do. In `arena`. */
const char *follow_price_words(Arena *arena, const PriceBreakEven *price);

/* "4,200 USD (12 %) are for work that was lost and done again. 0 of the 800 jobs of a run failed,
 * and 93 had not ended when it ended.": limits on waits do not show it. Without smaller parts than
 * LOSS_MENTION_PERCENT. In `arena`. */
const char *follow_losses_words(Arena *arena, const PointWhy *why);
/* The same findings, of all candidates, for programs. In `arena`. */
Json *follow_findings_json(Arena *arena, const FollowOutcome *outcome, const Study *plan);

#endif

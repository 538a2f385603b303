#include "sim/study/answer/plan_csv.h"

#include <math.h>

#include "sim/formats/csv.h"
#include "sim/study/answer/candidate_reason.h"

static void flush(Text *row, ByteSink out)
{
    csv_end(row);
    out.write(out.to, text_string(row), row->length);
    text_clear(row);
}

static void add_names(Text *row, const char *name)
{
    static const char *const ends[] = {"", ".low", ".high"};
    Text column = {0};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        text_clear(&column);
        text_printf(&column, "%s%s", name, ends[i]);
        csv_text(row, text_string(&column));
    }
    text_free(&column);
}

static void add_header(const PlanOutcome *outcome, Arena *scratch, Text *row)
{
    const PlanGrid *grid = outcome->grid;
    const Study *study = grid->study;
    csv_text(row, "candidate");
    for (int32_t f = 0; f < study->factor_count; f++)
        if (!goal_is_weather(outcome->goal, f))
            csv_text(row, study->factors[f]->name);
    csv_text(row, "state");
    csv_text(row, "runs");
    csv_text(row, "fresh_runs");
    add_names(row, study->metrics[outcome->goal->metric].name);
    for (int32_t c = 0; c < outcome->check_count; c++) {
        const char *metric = study->metrics[plan_check_constraint(grid, c)->metric].name;
        const int32_t weather = plan_check_weather(grid, c);
        add_names(row, grid->weather_count > 1 && weather >= 0
                           ? arena_printf(scratch, "%s (%s)", metric,
                                          plan_weather_name(scratch, grid, weather))
                           : metric);
    }
    csv_text(row, "worse_than");
    csv_text(row, "reason");
}

static void add_estimate(Text *row, const PlanEstimate *estimate)
{
    csv_real(row, estimate->value);
    csv_real(row, estimate->low);
    csv_real(row, estimate->high);
}

static void add_candidate(const PlanOutcome *outcome, int32_t candidate, Text *row)
{
    static const PlanEstimate unknown = {(double)NAN, (double)NAN, (double)NAN, 0};
    const PlanGrid *grid = outcome->grid;
    const PlanCandidate *own = &outcome->candidates[candidate];
    const PlanFindings *findings = plan_findings(own);
    csv_integer(row, candidate);
    for (int32_t f = 0; f < grid->study->factor_count; f++)
        if (!goal_is_weather(outcome->goal, f))
            csv_text(row, point_level(grid->study, plan_point(grid, candidate, 0), f)->label);
    csv_text(row, candidate_state_name(own->state));
    csv_integer(row, own->screening.run_count);
    csv_integer(row, own->fresh.run_count);
    add_estimate(row, &findings->objective);
    for (int32_t c = 0; c < outcome->check_count; c++)
        add_estimate(row, findings->run_count > 0 ? &findings->checks[c].estimate : &unknown);
    if (own->worse_than != NO_CANDIDATE)
        csv_integer(row, own->worse_than);
    else
        csv_unknown(row);
    Text reason = {0};
    candidate_reason_print(outcome, candidate, &reason);
    csv_text(row, text_string(&reason));
    text_free(&reason);
}

void plan_table(const PlanOutcome *outcome, ByteSink out)
{
    Arena *scratch = arena_create();
    Text row = {0};
    add_header(outcome, scratch, &row);
    flush(&row, out);
    for (int32_t i = 0; i < outcome->grid->candidate_count; i++) {
        add_candidate(outcome, i, &row);
        flush(&row, out);
    }
    text_free(&row);
    arena_destroy(scratch);
}

void plan_table_reference(Text *out)
{
    text_add(out,
             "\nplan.csv has a row a candidate: `candidate`, its number; the factors that are not "
             "weather; `state`, one of");
    for (int state = 0; state < CANDIDATE_STATE_COUNT; state++)
        text_printf(out, "%s %s (%s)", state > 0 ? "," : "",
                    candidate_state_name((CandidateState)state),
                    candidate_state_words((CandidateState)state));
    text_add(out,
             "; `runs`, by which candidates were chosen, and `fresh_runs`; the objective M as `M`, "
             "`M.low` and `M.high`, its interval, from fresh runs if there are any; the same for "
             "the metric of each constraint, and of each weather as `M (load=1.5)`; `worse_than`, "
             "the number of the candidate that is better; and `reason`, why it is not "
             "recommended, or that it is.\n");
}

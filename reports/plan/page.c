#include "reports/plan/page.h"

#include <inttypes.h>

#include "reports/plan/figures.h"
#include "reports/study/page.h"
#include "reports/text/wording.h"
#include "sim/study/sweep_progress.h"

/* "Which size and nodes for jobs.json?": the question of a study without a description. */
static const char *question(const PlanFacts *facts)
{
    const Study *study = facts->outcome->grid->study;
    const Goal *goal = facts->outcome->goal;
    Text out = {0};
    int32_t count = 0;
    const char **names = ARENA_ARRAY(facts->arena, const char *, study->factor_count);
    for (int32_t f = 0; f < study->factor_count; f++)
        if (study->factors[f]->level_count > 1 && !goal_is_weather(goal, f))
            names[count++] = study->factors[f]->name;
    if (count == 0)
        return study_short_path(study);
    for (int32_t i = 0; i < count; i++)
        text_printf(&out, "%s%s", i == 0 ? "Which " : i == count - 1 ? " and " : ", ", names[i]);
    text_printf(&out, " for %s?", study_short_path(study));
    return text_move(facts->arena, &out);
}

static void head_print(Text *html, const PlanFacts *facts)
{
    const Study *study = facts->outcome->grid->study;
    const char *heading = study->description != NULL ? study->description : question(facts);
    page_begin(html, heading, "trainyard: a plan", heading);
    text_add(html, "</header>\n<main>\n");
}

/* Sections with figures: heading, words above them, and words below them. */
typedef struct {
    int32_t figures;
    const char *heading;
    const char *words;
    void (*more)(Text *html, const PlanFacts *facts); /* NULL: none */
} Section;

static const Section sections[] = {
    {PLAN_WHY, "What limited them", "", section_why},
    {PLAN_FLIP, "What would change the answer", "", section_flip},
    {PLAN_FRONT, "What each constraint costs",
     "Each mark is a candidate. The best ones meet the limit with the best value of the objective.",
     NULL},
    {PLAN_PAIR, "Two factors together", "", NULL},
    {SECTION_LEVELS, "What each factor does", "", NULL},
    {PLAN_WINNER, "The recommended candidate at work", "", section_jobs},
    {PLAN_LOAD, "More load, and growth", "", section_load},
    {PLAN_RISK, "How bad a bad run is", "The mean hides the runs in which much goes wrong at once.",
     section_bad_runs},
};

static bool has_plots(int32_t section, const Plot *plots, uint32_t plot_count)
{
    for (uint32_t i = 0; i < plot_count; i++)
        if (plots[i].figure->section == section)
            return true;
    return false;
}

static void section_print(Text *html, const PlanFacts *facts, const Section *section,
                          const Plot *plots, uint32_t plot_count, const Status *no_plots)
{
    if (!has_plots(section->figures, plots, plot_count))
        return;
    text_printf(html, "<section>\n<h2>%s</h2>\n", section->heading);
    if (section->words[0] != '\0')
        text_printf(html, "<p>%s</p>\n", section->words);
    text_add(html, "<div class=\"plots\">\n");
    for (uint32_t i = 0; i < plot_count; i++)
        if (plots[i].figure->section == section->figures)
            page_plot_print(html, &plots[i], no_plots);
    text_add(html, "</div>\n");
    if (section->more != NULL)
        section->more(html, facts);
    text_add(html, "</section>\n");
}

const char *plan_page(Arena *arena, const PlanFacts *facts, const Plot *plots, uint32_t plot_count,
                      const Status *no_plots)
{
    Text html = {0};
    head_print(&html, facts);
    section_answer(&html, facts);
    section_compared(&html, facts);
    section_ways(&html, facts);
    section_others(&html, facts);
    section_idle(&html, facts->study);
    section_classes(&html, facts->study);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        section_print(&html, facts, &sections[i], plots, plot_count, no_plots);
    section_quota(&html, facts);
    section_stranded(&html, facts);
    section_closed_form(&html, facts);
    section_candidates(&html, facts);
    section_settings(&html, facts->study);
    section_assumptions(&html, facts);
    section_decision(&html, facts);
    section_method(&html, facts->study);
    study_foot_print(&html, facts->study);
    return text_move(arena, &html);
}

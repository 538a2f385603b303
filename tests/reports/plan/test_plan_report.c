#include "reports/plan/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/plan/figures.h"
#include "reports/plan/page.h"
#include "sim/cli/files.h"
#include "tests/support/plan_fixture.h"
#include "tests/support/temporary_folder.h"

static const char *page_of(const PlanOutcome *plan, const WinnerJobs *jobs)
{
    static const Status no_plots = {.message = "gnuplot is not used in this test"};
    const PlanKnown known = {.outcome = plan, .jobs = jobs};
    const PlanFacts *facts = plan_facts(arena, &known);
    const Figures figures = plan_figures(arena, facts);
    const Drawings none = {0};
    return plan_page(arena, facts, drawings_plots(arena, &figures, &none), figures.count,
                     &no_plots);
}

static void has(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "\"%s\" is missing", part);
}

static void lacks(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) == NULL, "\"%s\" is not expected", part);
}

/* The text of the section with the heading. */
static const char *section_of(const char *page, const char *heading)
{
    const char *begin = strstr(page, arena_printf(arena, "\">%s</h2>", heading));
    ck_assert_msg(begin != NULL, "no section \"%s\"", heading);
    return arena_strndup(arena, begin, (size_t)(strstr(begin, "</section>") - begin));
}

/* --- HTML --- */

/* Elements without an end. */
static bool is_void(const char *name, size_t length)
{
    static const char *const voids[] = {"meta", "wbr", "br", "link", "img"};
    for (size_t i = 0; i < sizeof voids / sizeof voids[0]; i++)
        if (strlen(voids[i]) == length && strncmp(voids[i], name, length) == 0)
            return true;
    return false;
}

/* Fails unless each element ends, in order. */
static void check_nesting(const char *html)
{
    enum { DEPTH_MAX = 64 };
    const char *open[DEPTH_MAX];
    size_t lengths[DEPTH_MAX];
    int32_t depth = 0;
    for (const char *at = strchr(html, '<'); at != NULL; at = strchr(at + 1, '<')) {
        const bool is_end = at[1] == '/';
        const char *name = at + 1 + is_end;
        const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");
        const char *close = strchr(at, '>');
        if (at[1] == '!' || is_void(name, length) || close[-1] == '/')
            continue;
        if (!is_end) {
            ck_assert_int_lt(depth, DEPTH_MAX);
            open[depth] = name;
            lengths[depth++] = length;
            continue;
        }
        ck_assert_int_gt(depth, 0);
        depth--;
        ck_assert_msg(lengths[depth] == length && strncmp(open[depth], name, length) == 0,
                      "<%.*s> ends with </%.*s>", (int)lengths[depth], open[depth], (int)length,
                      name);
    }
    ck_assert_int_eq(depth, 0);
}

START_TEST(the_answer_is_the_first_paragraph)
{
    const MadeStudy made = three_nodes();
    const char *page = page_of(plan_of(&made), NULL);
    has(page, "<h1>How many &lt;nodes&gt;?</h1>");
    const char *decision = strstr(page, "<p class=\"decision\">Choose 3 nodes: it costs");
    ck_assert_ptr_nonnull(decision);
    ck_assert(decision < strstr(page, "<p class=\"alternative\">The next best, 4 nodes, costs"));
    ck_assert(strstr(page, "<p class=\"alternative\">") < strstr(page, "<dl class=\"keys\">"));
    check_nesting(page);
}
END_TEST

START_TEST(each_way_has_its_best_candidate)
{
    // 2 and 3 nodes at each of three sizes. The largest size misses the limit with any.
    MadeStudy made = {
        .factors =
            "\"size\": {\"choices\": {\"rented\": {\"/seed\": 1}, \"bought\": {\"/seed\": 2}, "
            "\"other\": {\"/seed\": 3}}}, " NODES "\"values\": [2, 3]}",
        .cost = {80, 120, 70, 100, 60, 90},
        .share = {0.9, 0.97, 0.9, 0.97, 0.8, 0.85},
        .share_noise = 0.001,
        .goal = goal_of_waits()};
    const char *page = page_of(plan_of(&made), NULL);
    has(page, "<h3>The best of each size</h3>");
    has(page, "size rented, 3 nodes</td>");
    has(page, "<tr class=\"chosen\">");
    has(section_of(page, "All candidates"),
        "<td class=\"n\" data-label=\"jobs of team that wait at most 30 min\">85.00");
    has(page, "none meets the limits");
    check_nesting(page);
    const MadeStudy numbers = three_nodes();
    lacks(page_of(plan_of(&numbers), NULL), "The best of each");
}
END_TEST

/* A candidate has one row, also with two roles. */
START_TEST(the_sure_candidate_is_compared_with_the_recommended_one)
{
    MadeStudy made = three_nodes();
    made.factors = NODES "\"values\": [2, 3, 4, 5]}";
    made.cost[3] = 120;
    made.share[3] = 0.99;
    PlanOutcome *plan = plan_of(&made);
    lacks(page_of(plan, NULL), "sure in other times");
    plan->sure = 2;
    plan->sure_tested_count = 2;
    plan->against_sure = plan->against_next_best;
    plan->candidates[1].sure = SURE_NO;
    plan->candidates[2].sure = SURE_YES;
    const char *page = page_of(plan, NULL);
    has(section_of(page, "Compared with the next best"),
        "next best, and sure in other times: 4 nodes");
    has(section_of(page, "All candidates"), "costs more, meets the limits in other times, too");
    has(section_of(page, "How it was decided"), "<li>2 candidates, the best first, were tested");
    plan->candidates[2].sure = SURE_NO;
    plan->candidates[3].sure = SURE_YES;
    plan->sure = plan->against_sure.candidate = 3;
    page = page_of(plan, NULL);
    const char *compared =
        section_of(page, "Compared with the next best and the best that is sure in other times");
    has(compared, "next best: 4 nodes");
    has(compared, "sure in other times: 5 nodes");
    has(section_of(page, "All candidates"), "costs more, may miss a limit in other times");
    check_nesting(page);
}
END_TEST

START_TEST(each_end_of_a_plan_has_a_page)
{
    MadeStudy infeasible = three_nodes();
    infeasible.share[1] = infeasible.share[2] = 0.9;
    const MadeStudy none = {
        .factors = NODES "\"values\": [2, 3, 4]}", .run_count = -1, .goal = goal_of_waits()};
    MadeStudy one = three_nodes();
    one.factors = NODES "\"values\": [3]}";
    one.share[0] = 0.97;
    const struct {
        const MadeStudy *made;
        const char *has;
    } rows[] = {{&infeasible, "None of the 3 candidates meets the constraints"},
                {&none, "There is no decision yet: 3 of 3 candidates need more runs"},
                {&one, "Keep the scenario unchanged"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *page = page_of(plan_of(rows[i].made), NULL);
        has(page, rows[i].has);
        check_nesting(page);
    }
}
END_TEST

START_TEST(reasons_are_grouped_with_their_counts)
{
    MadeStudy made = three_nodes();
    made.factors = NODES "\"values\": [2, 3, 4, 5, 6]}";
    const double cost[] = {80, 100, 110, 120, 130}, share[] = {0.9, 0.97, 0.97, 0.92, 0.97};
    memcpy(made.cost, cost, sizeof cost);
    memcpy(made.share, share, sizeof share);
    const char *page = page_of(plan_of(&made), NULL);
    has(page, "miss the constraint: at least 95 % of the jobs of team wait at most 30 min");
    has(page, "<td data-label=\"which\">2 nodes; 5 nodes</td>");
    has(page, "<td data-label=\"which\">4 nodes; 6 nodes</td>");
}
END_TEST

START_TEST(each_candidate_shows_the_command_that_repeats_its_run)
{
    const MadeStudy made = three_nodes();
    const char *page = page_of(plan_of(&made), NULL);
    for (int32_t nodes = 2; nodes <= 4; nodes++)
        has(page, arena_printf(arena,
                               "<code>trainyard run scenario.json --seed 1 --set "
                               "/commands/0/config/properties/scaleSettings/manual/"
                               "targetNodeCount=%d</code>",
                               (int)nodes));
}
END_TEST

/* The costs of a run are 99, 99.5, ..., 101, four of each: the first of the dearest is run 4. */
START_TEST(the_worst_run_can_be_repeated)
{
    const MadeStudy made = three_nodes();
    const char *page = page_of(plan_of(&made), NULL);
    has(page, "The worst of 20 runs has <strong class=\"t\">101\xC2\xA0USD</strong>, with seed 10");
    has(page, "trainyard show DIR 1 10 --run -o worst");
    has(page, "In 95 % of the runs the cost is at most <strong class=\"t\">101");
    has(page, "(20 runs are too few to be sure of that)");
}
END_TEST

/* Nodes that are always on cost the same in each run. The shares are 0.96, 0.97 and 0.98; the first
 * run has the least. */
START_TEST(where_all_runs_cost_the_same_the_worst_is_nearest_to_a_limit)
{
    MadeStudy made = three_nodes();
    made.has_one_cost = true;
    const char *page = page_of(plan_of(&made), NULL);
    has(page, "In 95 % of the runs at least <strong class=\"t\">96\xC2\xA0%</strong> of the "
              "jobs of team wait at most 30\xC2\xA0min");
    has(page, "The worst of 20 runs has <strong class=\"t\">96\xC2\xA0%</strong>, with seed 1. ");
    made.share_noise = 0;
    lacks(page_of(plan_of(&made), NULL), "How bad a bad run is");
}
END_TEST

/* --- Figures --- */

static const Figure *figure_called(const Figures *figures, const char *file)
{
    for (uint32_t i = 0; i < figures->count; i++)
        if (strcmp(figures->items[i].file, file) == 0)
            return &figures->items[i];
    ck_abort_msg("no figure %s", file);
}

static Figures figures_of(const PlanOutcome *plan, const WinnerJobs *jobs)
{
    const PlanKnown known = {.outcome = plan, .jobs = jobs};
    return plan_figures(arena, plan_facts(arena, &known));
}

static const char *cell(const Figure *figure, int32_t row, int32_t column)
{
    return figure->numbers->cells[row * figure->numbers->column_count + column];
}

START_TEST(the_front_has_the_limit_the_band_and_memberships)
{
    const MadeStudy made = three_nodes();
    const Figures figures = figures_of(plan_of(&made), NULL);
    const Figure *front = figure_called(&figures, "front-0");
    has(front->wide, "y_limit = 95\n");
    has(front->note, "Names are levels of nodes; on a phone,");
    has(front->wide, "band_low = 98\nband_high = 102\n"); // 2 % of 100 USD
    ck_assert_int_eq(front->numbers->row_count, 3);
    ck_assert_str_eq(cell(front, 0, 1), "3 nodes"); // the recommended one is first
    ck_assert_str_eq(cell(front, 0, 4), "100\xC2\xA0%");
    ck_assert_str_eq(cell(front, 2, 1), "4 nodes");
    ck_assert_str_eq(cell(front, 2, 4), "0\xC2\xA0%");
}
END_TEST

START_TEST(levels_have_the_limit_and_the_estimates_of_the_plan)
{
    const MadeStudy made = three_nodes();
    const Figures figures = figures_of(plan_of(&made), NULL);
    const Figure *levels = figure_called(&figures, "levels-1");
    has(levels->wide, "has_limit = 1\ny_limit = 95\n");
    has(figure_called(&figures, "levels-0")->wide, "has_limit = 0\n");
    ck_assert_str_eq(cell(levels, 1, 1), "97.0 ± 0.4\xC2\xA0%");
    ck_assert_str_eq(levels->title, "Jobs of team that wait at most 30 min (%) by nodes");
}
END_TEST

/* Five candidates cost 60, 100, 110, 120 and 130 USD. DIR/why has the one of 100 USD, which is
 * recommended, the next best, and the others in the order of the study. */
START_TEST(reasons_begin_with_the_nearest_rivals)
{
    MadeStudy made = three_nodes();
    made.factors = NODES "\"values\": [2, 3, 4, 5, 6]}";
    const double cost[] = {60, 100, 110, 120, 130}, share[] = {0.9, 0.97, 0.97, 0.97, 0.97};
    memcpy(made.cost, cost, sizeof cost);
    memcpy(made.share, share, sizeof share);
    const PlanOutcome *plan = plan_of(&made);
    FollowPoint points[] = {{.point = 1}, {.point = 2}, {.point = 0}, {.point = 3}, {.point = 4}};
    PointWhy why[5] = {0};
    for (int32_t i = 0; i < 5; i++)
        why[i] = (PointWhy){.run_count = 20,
                            .waited_s = 4600,
                            .wait_s = {[WAIT_SERVICE] = 3600, [WAIT_AHEAD] = 1000}};
    const FollowOutcome follow = {
        .is_present = true,
        .facts = {.points = points, .point_count = 5, .has_next_best = true},
        .why = why};
    const PlanKnown known = {.outcome = plan, .follow = &follow};
    const Figures figures = plan_figures(arena, plan_facts(arena, &known));
    const Figure *waits = figure_called(&figures, "why-waits");
    static const char *const names[] = {"nodes=3", "nodes=4", "nodes=5", "nodes=6", "nodes=2"};
    for (int32_t row = 0; row < 5; row++)
        ck_assert_str_eq(cell(waits, row, 0), names[row]);
    has(waits->narrow, "kind_name[2] = 'jobs ahead in the queue'\n");
    ck_assert_str_eq(waits->numbers->headings[3],
                     "jobs ahead in the queue, while enough nodes were idle");
    has(waits->note, "The candidates: the recommended candidate, the next best, then the others, "
                     "the nearest to it in cost first.");
}
END_TEST

/* Nodes were paid for 100 h, of which 20 h were idle, and queues limited 10 h. */
START_TEST(nodes_without_a_job_are_those_of_all_such_uses)
{
    const MadeStudy made = three_nodes();
    FollowPoint point = {.point = 1};
    PointWhy why = {.run_count = 20, .node_usd = 200};
    why.use_s[USE_USEFUL] = 70 * 3600;
    why.use_s[USE_IDLE] = 20 * 3600;
    why.use_s[USE_LIMITED] = 10 * 3600;
    why.use_usd[USE_LIMITED] = 20;
    const FollowOutcome follow = {
        .is_present = true, .facts = {.points = &point, .point_count = 1}, .why = &why};
    const PlanKnown known = {.outcome = plan_of(&made), .follow = &follow};
    Text html = {0};
    section_stranded(&html, plan_facts(arena, &known));
    const char *section = text_move(arena, &html);
    has(section, "Jobs ran for 70.0 % of the time of the nodes.");
    has(section, "<td data-label=\"cause\">idle nodes</td>");
    has(section, "<td data-label=\"cause\">free GPUs that limits and guarantees of queues kept "
                 "free</td>");
    has(section, ">10.0 %</td>");
    lacks(section, "computation that was kept");
}
END_TEST

START_TEST(two_factors_have_a_map_with_a_table_of_the_same_shape)
{
    MadeStudy made = three_nodes();
    made.factors = NODES "\"values\": [2, 3]}, " LOAD "\"values\": [1, 2]}";
    made.cost[3] = 120;
    made.share[3] = 0.97;
    const Figures figures = figures_of(plan_of(&made), NULL);
    const Figure *pair = figure_called(&figures, "pair");
    has(pair->wide, "columns = 2\n");
    has(pair->wide, "rows = 2\n");
    has(pair->wide, "\xE2\x97\x86 100"); // the recommended one
    has(pair->wide, "\xE2\x9C\x95 80");
    ck_assert_int_eq(pair->numbers->row_count, 2);
    ck_assert_int_eq(pair->numbers->column_count, 3);
}
END_TEST

START_TEST(one_factor_has_no_map)
{
    const MadeStudy made = three_nodes();
    const Figures figures = figures_of(plan_of(&made), NULL);
    for (uint32_t i = 0; i < figures.count; i++)
        ck_assert_str_ne(figures.items[i].file, "pair");
}
END_TEST

START_TEST(jobs_have_a_curve_of_waits_and_a_queue)
{
    const MadeStudy made = three_nodes();
    const WinnerJob own[] = {{0, 1, 0, 60, false}, {0, 1, 100, 3600, false}, {1, 1, 0, 0, false}};
    const WinnerJobs jobs = {.point = 1, .first_seed = 1, .run_count = 2, .count = 3, .jobs = own};
    const PlanOutcome *plan = plan_of(&made);
    const Figures figures = figures_of(plan, &jobs);
    const Figure *waits = figure_called(&figures, "waits");
    has(waits->wide, "mark_at[1] = 1800\nmark_name[1] = '30 min'\n");
    has(waits->wide, "has_limit = 1\ny_limit = 95\n");
    has(waits->wide, "\n3600 100\n"); // the last step of the curve
    ck_assert_str_eq(waits->numbers->headings[1], "all jobs (3)");
    ck_assert_int_eq(figure_called(&figures, "queue")->numbers->row_count, 12);
    const char *page = page_of(plan, &jobs);
    has(page, "3 jobs of 2 runs of point 1, in winner-jobs.csv. The first one has the seed 1;");
    static const char at_work[] = "<figcaption>Share of the jobs that waited at most this long<";
    static const char levels[] = "<figcaption>Cost (USD) by nodes<";
    has(section_of(page, "The recommended candidate at work"), at_work);
    lacks(section_of(page, "The recommended candidate at work"), levels);
    has(section_of(page, "What each factor does"), levels);
    lacks(section_of(page, "What each factor does"), at_work);
}
END_TEST

/* --- Files --- */

static const char *folder;

static void set_up_folder(void)
{
    set_up();
    folder = temporary_folder_create(arena);
}

static void tear_down_folder(void)
{
    temporary_folder_remove(folder);
    tear_down();
}

/* Each number of a table is in the drawing's title too, and each drawing has its table. */
START_TEST(the_page_is_written_and_each_plot_has_its_table)
{
    const MadeStudy made = three_nodes();
    Status no_plots = {0}, status = {0};
    const PlanKnown known = {.outcome = plan_of(&made)};
    ck_assert_msg(plan_report_write(arena, folder, &known, &no_plots, &status), "%s",
                  status.message);
    const char *page = temporary_file_text(arena, arena_printf(arena, "%s/report.html", folder));
    check_nesting(page);
    lacks(page, "nan");
    if (no_plots.code != STATUS_OK)
        return; // without gnuplot
    int32_t drawings = 0, tables = 0;
    for (const char *at = page; (at = strstr(at, "<div class=\"wide\">")) != NULL; at++)
        drawings++;
    for (const char *at = page; (at = strstr(at, "<details class=\"data\">")) != NULL; at++)
        tables++;
    ck_assert_int_gt(drawings, 3);
    ck_assert_int_eq(drawings, tables);
    has(page, "<svg");
    lacks(page, "http://www.w3.org/1999/xlink");
    has(temporary_file_text(arena, arena_printf(arena, "%s/plots/front-0.svg", folder)), "<svg");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_report");
    TCase *page = tcase_create("page");
    tcase_add_checked_fixture(page, set_up, tear_down);
    tcase_add_test(page, the_answer_is_the_first_paragraph);
    tcase_add_test(page, each_way_has_its_best_candidate);
    tcase_add_test(page, each_end_of_a_plan_has_a_page);
    tcase_add_test(page, the_sure_candidate_is_compared_with_the_recommended_one);
    tcase_add_test(page, reasons_are_grouped_with_their_counts);
    tcase_add_test(page, each_candidate_shows_the_command_that_repeats_its_run);
    tcase_add_test(page, the_worst_run_can_be_repeated);
    tcase_add_test(page, where_all_runs_cost_the_same_the_worst_is_nearest_to_a_limit);
    tcase_add_test(page, the_front_has_the_limit_the_band_and_memberships);
    tcase_add_test(page, levels_have_the_limit_and_the_estimates_of_the_plan);
    tcase_add_test(page, reasons_begin_with_the_nearest_rivals);
    tcase_add_test(page, nodes_without_a_job_are_those_of_all_such_uses);
    tcase_add_test(page, two_factors_have_a_map_with_a_table_of_the_same_shape);
    tcase_add_test(page, one_factor_has_no_map);
    tcase_add_test(page, jobs_have_a_curve_of_waits_and_a_queue);
    suite_add_tcase(suite, page);
    TCase *files_of_it = tcase_create("files");
    tcase_add_checked_fixture(files_of_it, set_up_folder, tear_down_folder);
    tcase_add_test(files_of_it, the_page_is_written_and_each_plot_has_its_table);
    suite_add_tcase(suite, files_of_it);
    return suite;
}

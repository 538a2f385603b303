#include "reports/study/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/study/figures.h"
#include "reports/study/page.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/files.h"
#include "sim/cli/json_file.h"
#include "sim/study/study_json.h"
#include "sim/study/sweep.h"
#include "tests/support/small_scenario_fixture.h"
#include "tests/support/temporary_folder.h"

#define NODES                                                                                      \
    "\"nodes\": {\"set\": "                                                                        \
    "\"/commands/0/config/properties/scaleSettings/manual/targetNodeCount\", "
#define SEED "\"extra\": {\"set\": \"/seed\", "

static const Study *the_study(const char *members)
{
    Problems problems = problems_create(arena);
    const char *text = arena_printf(arena,
                                    "{\"trainyard_study\": 1, \"scenario\": \"scenario.json\", "
                                    "\"metrics\": [\"jobs.train.queue_s\", "
                                    "\"cost_usd.total\"], %s}",
                                    members);
    memory_files_set(&files, "study.json", text, strlen(text));
    const Study *study = study_read(arena, memory_files_source(&files), "study.json", &problems);
    ck_assert_msg(study != NULL, "%s", problems.count > 0 ? problems.items[0].message : "");
    return study;
}

/* Made-up values: deterministic, different from point to point and from run to run. */
static double value_of(int32_t point, int32_t replication, int32_t metric)
{
    return metric == 0 ? 600 + 300 * point + 7 * (replication % 5)
                       : 20 - 2 * point + 0.1 * (replication % 3);
}

/* An outcome with `runs` runs of each point, of which those of the last point have lower bounds. */
static StudyOutcome *outcome_of(const Study *study, int32_t runs, bool has_bounds)
{
    StudyOutcome *outcome = ARENA_NEW(arena, StudyOutcome);
    Results *results = results_create(arena, study);
    for (int32_t point = 0; point < study->point_count; point++)
        for (int32_t r = 0; r < runs; r++) {
            double values[2] = {value_of(point, r, 0), value_of(point, r, 1)};
            uint8_t flags[2] = {has_bounds && point == study->point_count - 1, 0};
            const RunRecord record = {.point = point,
                                      .replication = r,
                                      .seed = study->seeds.first + (uint64_t)r,
                                      .fingerprint = (uint64_t)point,
                                      .values = values,
                                      .flags = flags};
            results_put(results, &record, -1);
        }
    Waves *waves = waves_create(arena, study, results, (Shard){0, 1});
    *outcome = (StudyOutcome){
        .findings = {.study = study, .results = results, .used = waves_all_used(arena, waves)},
        .identity = study_identity(arena, study, "test"),
        .done_count = waves_done_count(waves),
        .run_count = waves_run_count(waves)};
    return outcome;
}

static const char *page_of(const StudyOutcome *outcome)
{
    static const Status no_plots = {.message = "gnuplot is not used in this test"};
    const StudyFacts *facts = study_facts(arena, outcome);
    const Figures figures = study_figures(arena, facts);
    const Drawings none = {0};
    return study_page(arena, facts, drawings_plots(arena, &figures, &none), figures.count,
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

static const char grid[] =
    "\"description\": \"More <nodes>?\", \"factors\": {" NODES
    "\"values\": [2, 3, 4]}}, \"baseline\": {\"nodes\": 2}, \"seeds\": {\"at_least\": 20}";

/* --- Facts --- */

START_TEST(a_long_time_is_shown_in_minutes_and_the_lowest_point_is_found)
{
    const StudyFacts *facts = study_facts(arena, outcome_of(the_study(grid), 20, false));
    ck_assert_str_eq(fact_metric_title(facts, 0), "wait of job train (min)");
    ck_assert_str_eq(fact_metric_title(facts, 1), "cost (USD)");
    ck_assert_int_eq(facts->lowest, 0);
    ck_assert_int_eq(facts->highest, 2);
    ck_assert_int_eq(facts->like_lowest, 0);
    ck_assert_int_eq(facts->used_count, 60);
}
END_TEST

START_TEST(axes_have_the_numbers_of_their_labels_in_order)
{
    const StudyFacts *facts = study_facts(
        arena, outcome_of(the_study("\"factors\": {" SEED "\"values\": [30, 4, 200]}, " NODES
                                    "\"values\": [2, 3]}}"),
                          1, false));
    ck_assert_int_eq(facts->axis_count, 2);
    const StudyAxis *axis = &facts->axes[0]; // the one with more levels
    ck_assert_str_eq(axis->name, "extra");
    ck_assert(axis->is_of_numbers);
    ck_assert_double_eq(axis->x[0], 30);
    ck_assert_int_eq(axis->order[0], 1);
    ck_assert_int_eq(axis->order[1], 0);
    ck_assert_int_eq(axis->order[2], 2);
}
END_TEST

START_TEST(factors_that_change_together_are_one_axis)
{
    const StudyFacts *facts = study_facts(
        arena, outcome_of(the_study("\"factors\": {" SEED "\"values\": [3, 4]}, " NODES
                                    "\"values\": [2, 3]}}, \"zip\": [[\"extra\", \"nodes\"]]"),
                          1, false));
    ck_assert_int_eq(facts->axis_count, 1);
    ck_assert_str_eq(facts->axes[0].name, "extra and nodes");
    const int32_t points[] = {0, 1};
    const PointLabels labels = fact_labels(facts, points, 2);
    ck_assert_str_eq(fact_point_levels(&labels, 1), "4");
}
END_TEST

START_TEST(labels_have_what_tells_points_apart)
{
    const StudyFacts *facts = study_facts(
        arena, outcome_of(the_study("\"factors\": {\"vm\": {\"set\": "
                                    "[\"/commands/0/config/properties/vmSize\"], \"values\": "
                                    "[\"Standard_NC6\", \"Standard_NC12\"]}, " NODES
                                    "\"values\": [2, 3]}}"),
                          1, false));
    const int32_t all[] = {0, 1, 2, 3}, sizes[] = {0, 2}, alone[] = {3};
    const PointLabels both = fact_labels(facts, all, 4), one = fact_labels(facts, sizes, 2),
                      single = fact_labels(facts, alone, 1);
    ck_assert_str_eq(fact_point_levels(&both, 3), "NC12, 3");
    ck_assert_str_eq(fact_point_words(&both, 3), "NC12, nodes 3");
    ck_assert_str_eq(fact_factor_names(&both), "vm, nodes");
    ck_assert_str_eq(fact_point_levels(&one, 2), "NC12");
    ck_assert_str_eq(fact_factor_names(&one), "vm");
    ck_assert_str_eq(fact_point_levels(&single, 3), "Standard_NC12, 3");
}
END_TEST

START_TEST(the_mean_of_a_level_averages_the_points_of_a_replication_first)
{
    const StudyFacts *facts =
        study_facts(arena, outcome_of(the_study("\"factors\": {" SEED "\"values\": [3, 4]}, " NODES
                                                "\"values\": [2, 3]}}"),
                                      20, false));
    const StudyAxis *axis = &facts->axes[0];
    const Estimate mean = fact_level_mean(facts, axis, 0, 0); // points 0 and 1
    ck_assert_double_eq_tol(mean.mean, 600 + 150 + 14, 1e-9);
    ck_assert_int_eq(mean.count, 20);
    ck_assert_double_eq_tol(mean.half_width, fact_estimate(facts, 0, 0)->half_width, 1e-9);
}
END_TEST

/* --- The page --- */

START_TEST(the_question_heads_the_page_and_markup_is_escaped)
{
    const char *page = page_of(outcome_of(the_study(grid), 20, false));
    has(page, "<h1>More &lt;nodes&gt;?</h1>");
    has(page, "<p class=\"lead\">3 points of scenario.json</p>");
    has(page, "The wait of job train is lowest at point 0 (nodes=2): ");
    has(page, "It is highest at point 2 (nodes=4): ");
    has(page, "every other point differs from the lowest");
    has(page, "trainyard show DIR 2 5 --run"); // value 28 of replication 4 is the first largest
    has(page, "Differences to the baseline");
    lacks(page, "This study is not finished");
    lacks(page, "\xE2\x89\xA5");
}
END_TEST

START_TEST(a_half_finished_study_says_so)
{
    const char *page = page_of(outcome_of(the_study(grid), 3, false));
    has(page, "<strong>9 of 60 runs.</strong> This study is not finished");
}
END_TEST

START_TEST(a_study_without_runs_has_a_page)
{
    const char *page = page_of(outcome_of(the_study(grid), 0, false));
    has(page, "<strong>0 of 60 runs.</strong>");
    has(page, "No run with a value of the wait of job train has finished.");
    lacks(page, "<figure");
}
END_TEST

START_TEST(a_study_without_a_description_is_called_after_its_factors_and_scenario)
{
    const char *page = page_of(outcome_of(
        the_study("\"factors\": {" NODES "\"values\": [2, 3]}}, \"seeds\": {\"at_least\": 20}"), 20,
        false));
    has(page, "<h1>What nodes changes in scenario.json</h1>");
    Study study = {.scenario_path = "/home/me/poisson/scenario.json"};
    ck_assert_str_eq(study_short_path(&study), "poisson/scenario.json");
}
END_TEST

START_TEST(lower_bounds_have_a_sign_and_a_word)
{
    const char *page = page_of(outcome_of(the_study(grid), 20, true));
    has(page, "\xE2\x89\xA5\xC2\xA0");
    has(page, "values that are only lower bounds");
    has(page, "An arrow: the value is only a lower bound");
}
END_TEST

START_TEST(random_designs_draw_the_first_metrics_only)
{
    const Study *study = the_study("\"factors\": {" SEED "\"between\": [1, 1000000]}}, "
                                   "\"design\": {\"latin_hypercube\": 20}");
    Study more = *study; // the same metrics twice
    StudyMetric metrics[4] = {study->metrics[0], study->metrics[1], study->metrics[0],
                              study->metrics[1]};
    more.metrics = metrics;
    more.metric_count = 4;
    const Results *results = results_create(arena, &more);
    const int32_t *used = ARENA_ARRAY(arena, int32_t, study->point_count);
    const StudyOutcome outcome = {.findings = {&more, results, used},
                                  .identity = study_identity(arena, study, "test")};
    ck_assert_int_eq(figures_levels_metrics(study_facts(arena, &outcome)), PANEL_METRICS);
}
END_TEST

START_TEST(points_with_one_run_cannot_be_compared)
{
    has(page_of(outcome_of(the_study(grid), 1, false)),
        "2 points have too few runs to be compared");
}
END_TEST

START_TEST(idle_levels_are_named_with_the_reason)
{
    StudyOutcome *outcome = outcome_of(the_study(grid), 20, false);
    const IdleLevels idle = {
        .factor = 0, .first_level = 1, .last_level = 2, .is_exact = true, .reason = "quota <NC>"};
    outcome->idle = &idle;
    outcome->idle_count = 1;
    has(page_of(outcome), "<li>nodes after 3 changed nothing: quota &lt;NC&gt;</li>");
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

static int32_t count_in(const char *text, const char *part)
{
    int32_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

START_TEST(a_large_hypercube_draws_few_dots_and_says_so)
{
    const StudyFacts *facts =
        study_facts(arena, outcome_of(the_study("\"factors\": {" SEED
                                                "\"between\": [1, 1000000]}}, \"design\": "
                                                "{\"latin_hypercube\": 2000}"),
                                      2, false));
    const Figures figures = study_figures(arena, facts);
    const Figure *levels = figure_called(&figures, "levels-0-1");
    ck_assert_int_le(count_in(levels->wide, "\xE2\x97\x8F"), DOTS_MAX + 10);
    has(levels->note, "150 of 2000 points");
    has(figure_called(&figures, "tradeoff")->note, "150 of 2000 points");
}
END_TEST

/* The design's own name for its figures, and their numbers. */
static void effects_are_drawn(const char *design, const char *heading)
{
    const StudyFacts *facts = study_facts(
        arena,
        outcome_of(the_study(arena_printf(arena,
                                          "\"factors\": {" SEED "\"between\": [1, 9]}, " NODES
                                          "\"between\": [2, 6]}}, \"design\": %s",
                                          design)),
                   2, false));
    const Figures figures = study_figures(arena, facts);
    const FigureNumbers *numbers = figure_called(&figures, "effects-0")->numbers;
    ck_assert_int_eq(numbers->row_count, 2);
    ck_assert_str_eq(numbers->headings[1], heading);
    ck_assert_str_eq(numbers->cells[0], "extra");
}

START_TEST(effects_without_factors_are_a_note_instead_of_a_drawing)
{
    const Study *study = the_study("\"factors\": {}, \"design\": {\"morris\": 4}");
    const Figures figures = study_figures(arena, study_facts(arena, outcome_of(study, 2, false)));
    const Figure *effects = figure_called(&figures, "effects-0");
    ck_assert_ptr_null(effects->wide);
    has(effects->note, "The study has no factors");
}
END_TEST

/* A 2 by 3 grid of which only points with the second level of "extra" have runs. */
START_TEST(curves_without_values_are_left_out)
{
    StudyOutcome *outcome = outcome_of(
        the_study("\"factors\": {" SEED "\"values\": [3, 4]}, " NODES "\"values\": [2, 3, 4]}}"), 2,
        false);
    int32_t used[6] = {0, 0, 0, 2, 2, 2};
    outcome->findings.used = used;
    const Figures figures = study_figures(arena, study_facts(arena, outcome));
    const Figure *levels = figure_called(&figures, "levels-0");
    has(levels->wide, "curves = 1\n");
    ck_assert_int_eq(levels->numbers->column_count, 2);
    ck_assert_str_eq(levels->numbers->headings[1], "extra=4");
}
END_TEST

START_TEST(values_have_asymmetrical_bars_and_the_reason_where_one_is_missing)
{
    StudyOutcome *outcome = outcome_of(the_study(grid), 20, false);
    StudyFacts facts = *study_facts(arena, outcome);
    MetricEstimate estimates[6];
    memcpy(estimates, facts.estimates, sizeof estimates);
    for (int32_t i = 0; i < 6; i++)
        estimates[i].value = 600, estimates[i].low = 540, estimates[i].high = 900;
    estimates[2].low = estimates[2].high = (double)NAN; // point 1, metric 0
    snprintf(estimates[2].note, NOTE_SIZE, "unstable: it <grows>");
    facts.estimates = estimates;
    const Figures figures = study_figures(arena, &facts);
    const Figure *levels = figure_called(&figures, "levels-0");
    has(levels->wide, " 10 9 15 \"\xE2\x97\x8F\"");
    has(levels->wide, " 10 10 10 \"\xE2\x97\x8B\"");
    has(levels->note, "Hollow marks have no interval: unstable: it <grows> (1).");
    ck_assert_str_eq(levels->numbers->cells[1], "10.0 (9.0 to 15.0)\xC2\xA0min");
    ck_assert_str_eq(levels->numbers->cells[3], "10\xC2\xA0min (unstable: it <grows>)");
}
END_TEST

START_TEST(the_methods_of_the_study_are_named_by_metric)
{
    const char *page = page_of(outcome_of(the_study(grid), 20, false));
    has(page, "<li><code>jobs.<wbr>train.<wbr>queue_s</code>, <code>cost_usd.<wbr>total</code> "
              "(\"t, skew\"): ");
    // The table of points has the words of a metric, and the name for options and files.
    has(page, ">wait of job train<code class=\"why\">jobs.<wbr>train.<wbr>queue_s</code></th>");
    has(page, "<figcaption>Wait of job train (min) by nodes</figcaption>");
    has(page, "<figcaption>Wait of job train (min) against cost (USD)</figcaption>");
    lacks(page, "\"share\"");
    lacks(page, "\"pooled\"");
}
END_TEST

START_TEST(designs_of_sensitivity_show_their_effects)
{
    effects_are_drawn("{\"morris\": 4}", "mean size");
    effects_are_drawn("{\"saltelli\": 4}", "alone");
}
END_TEST

START_TEST(one_at_a_time_shows_the_swing_of_each_factor)
{
    const StudyFacts *facts = study_facts(
        arena,
        outcome_of(
            the_study("\"factors\": {" SEED "\"values\": [5, 6]}, " NODES
                      "\"values\": [2, 3, 4]}}, "
                      "\"design\": \"one-at-a-time\", \"baseline\": {\"extra\": 5, \"nodes\": 2}"),
            20, false));
    const Figures figures = study_figures(arena, facts);
    const Figure *effects = figure_called(&figures, "effects-0");
    const FigureNumbers *numbers = effects->numbers;
    has(effects->wide, "\n2 10.2333333 25.2333333 0 "); // the bar of "nodes", in minutes
    // Point 1 has the other level of "extra", points 2 and 3 those of "nodes": 600 + 300 a point.
    ck_assert_str_eq(numbers->cells[3], "5\xC2\xA0min");
    ck_assert_str_eq(numbers->cells[7], "15\xC2\xA0min");
}
END_TEST

START_TEST(small_grids_are_curves_and_larger_ones_have_a_drawing_for_each_factor)
{
    const StudyFacts *small =
        study_facts(arena, outcome_of(the_study("\"factors\": {" SEED "\"values\": [3, 4]}, " NODES
                                                "\"values\": [2, 3, 4]}}"),
                                      2, false));
    const Figures curves = study_figures(arena, small);
    has(figure_called(&curves, "levels-0")->wide, "curves = 2\n");
    const StudyFacts *wide = study_facts(
        arena, outcome_of(the_study("\"factors\": {" SEED "\"values\": \"1..7\"}, " NODES
                                    "\"values\": \"2..8\"}}"),
                          2, false));
    const Figures panels = study_figures(arena, wide);
    ck_assert(figure_called(&panels, "levels-0-1")->is_half);
    ck_assert(figure_called(&panels, "levels-0-2")->is_half);
}
END_TEST

/* --- From the folder --- */

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

static Sweep sweep_of(const Study *study)
{
    Problems problems = problems_create(arena);
    const SweepOptions options = {.folder = folder,
                                  .version = "test",
                                  .thread_count = 1,
                                  .time_limit_ns = INT64_MAX,
                                  .shard = {0, 1},
                                  .is_quiet = true,
                                  .run = sweep_on_threads};
    Sweep sweep;
    ck_assert_msg(sweep_run(arena, study, memory_files_source(&files), &options, &sweep, &problems),
                  "%s", problems.count > 0 ? problems.items[0].message : "");
    return sweep;
}

static StudyOutcome same_page_from_the_folder(const char *members)
{
    const Sweep sweep = sweep_of(the_study(members));
    const StudyOutcome own = sweep_outcome(&sweep);
    StudyOutcome read;
    Problems problems = problems_create(arena);
    ck_assert_msg(study_outcome_read(arena, disk_files, folder, &read, &problems), "%s",
                  problems.count > 0 ? problems.items[0].message : "");
    ck_assert_str_eq(page_of(&own), page_of(&read));
    const Figures a = study_figures(arena, study_facts(arena, &own));
    const Figures b = study_figures(arena, study_facts(arena, &read));
    ck_assert_int_eq(a.count, b.count);
    for (uint32_t i = 0; i < a.count; i++)
        if (a.items[i].wide != NULL)
            ck_assert_str_eq(a.items[i].wide, b.items[i].wide);
    return own;
}

START_TEST(the_folder_of_a_grid_gives_the_same_page)
{
    same_page_from_the_folder(
        "\"factors\": {\"vm\": {\"choices\": {\"small\": "
        "{\"/commands/0/config/properties/vmSize\": \"STANDARD_NC6\"}, \"large\": "
        "{\"/commands/0/config/properties/vmSize\": \"STANDARD_NC12\"}}}, " SEED
        "\"values\": [3, 4]}}, \"zip\": [], \"baseline\": {\"vm\": \"small\"}, "
        "\"seeds\": {\"at_least\": 5, \"at_most\": 20, \"until\": "
        "{\"cost_usd.total\": \"0.1%\"}}");
}
END_TEST

START_TEST(the_folder_of_a_morris_design_gives_the_same_page)
{
    const StudyOutcome own = same_page_from_the_folder(
        "\"factors\": {" SEED "\"between\": [1, 1000], \"on\": \"log\"}, "
        "\"fidelity\": {\"set\": \"/fidelity\", \"values\": [\"job\", \"epoch\"]}}, "
        "\"design\": {\"morris\": 3}, \"seeds\": {\"at_least\": 2}");
    // Neighbouring levels of a span are not neighbours in value, so no range of them did nothing.
    for (int32_t i = 0; i < own.idle_count; i++)
        ck_assert_int_ne(own.idle[i].factor, 0);
}
END_TEST

START_TEST(each_member_of_study_json_is_needed)
{
    static const char *const needed[] = {"trainyard_study_expanded",
                                         "scenario",
                                         "version",
                                         "rng",
                                         "hashes",
                                         "seeds",
                                         "metrics",
                                         "design",
                                         "factors",
                                         "changes",
                                         "points"};
    (void)sweep_of(the_study("\"factors\": {" SEED
                             "\"between\": [1, 1000]}}, \"design\": {\"morris\": 2}, "
                             "\"seeds\": {\"at_least\": 2}"));
    const char *text = temporary_file_text(arena, arena_printf(arena, "%s/study.json", folder));
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        Problems problems = problems_create(arena);
        StudyOutcome outcome;
        Status status = {0};
        const char *key = arena_printf(arena, "\"%s\":", needed[i]);
        const char *renamed = with_change(arena, text, key, "\"other\":");
        const Json *root =
            json_parse(arena, "study.json", renamed, strlen(renamed), JSON_STRICT, &problems);
        ck_assert(root != NULL);
        ck_assert_msg(!study_outcome_read_tree(arena, root, &outcome, &status), "%s", needed[i]);
        ck_assert_int_eq(status.code, STATUS_BAD_INPUT);
        has(status.message, "is not a study.json of this version");
    }
}
END_TEST

START_TEST(the_page_is_written_with_and_without_gnuplot)
{
    const StudyOutcome *outcome = outcome_of(the_study(grid), 20, false);
    const char *page = arena_printf(arena, "%s/report.html", folder);
    const char *path = arena_strdup(arena, getenv("PATH"));
    Status no_plots = {0}, status = {0};
    setenv("PATH", "/nonexistent", 1);
    ck_assert(study_report_write(arena, folder, outcome, &no_plots, &status));
    setenv("PATH", path, 1);
    ck_assert_int_eq(no_plots.code, STATUS_MACHINE);
    has(temporary_file_text(arena, page), "This plot is missing");
    no_plots = (Status){0};
    ck_assert(study_report_write(arena, folder, outcome, &no_plots, &status));
    ck_assert_msg(no_plots.code == STATUS_OK, "%s", no_plots.message);
    const char *drawn = temporary_file_text(arena, page);
    has(drawn, "<svg ");
    lacks(drawn, "This plot is missing");
    lacks(drawn, "<script");
    ck_assert(study_report_write(arena, folder, outcome, &no_plots, &status));
    ck_assert_str_eq(drawn, temporary_file_text(arena, page));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("study report");
    TCase *facts = tcase_create("facts");
    tcase_add_checked_fixture(facts, set_up, tear_down);
    tcase_add_test(facts, a_long_time_is_shown_in_minutes_and_the_lowest_point_is_found);
    tcase_add_test(facts, axes_have_the_numbers_of_their_labels_in_order);
    tcase_add_test(facts, factors_that_change_together_are_one_axis);
    tcase_add_test(facts, labels_have_what_tells_points_apart);
    tcase_add_test(facts, the_mean_of_a_level_averages_the_points_of_a_replication_first);
    suite_add_tcase(suite, facts);
    TCase *page = tcase_create("page");
    tcase_add_checked_fixture(page, set_up, tear_down);
    tcase_add_test(page, the_question_heads_the_page_and_markup_is_escaped);
    tcase_add_test(page, a_half_finished_study_says_so);
    tcase_add_test(page, a_study_without_runs_has_a_page);
    tcase_add_test(page, a_study_without_a_description_is_called_after_its_factors_and_scenario);
    tcase_add_test(page, lower_bounds_have_a_sign_and_a_word);
    tcase_add_test(page, random_designs_draw_the_first_metrics_only);
    tcase_add_test(page, points_with_one_run_cannot_be_compared);
    tcase_add_test(page, idle_levels_are_named_with_the_reason);
    tcase_add_test(page, a_large_hypercube_draws_few_dots_and_says_so);
    tcase_add_test(page, effects_without_factors_are_a_note_instead_of_a_drawing);
    tcase_add_test(page, curves_without_values_are_left_out);
    tcase_add_test(page, values_have_asymmetrical_bars_and_the_reason_where_one_is_missing);
    tcase_add_test(page, the_methods_of_the_study_are_named_by_metric);
    tcase_add_test(page, designs_of_sensitivity_show_their_effects);
    tcase_add_test(page, one_at_a_time_shows_the_swing_of_each_factor);
    tcase_add_test(page, small_grids_are_curves_and_larger_ones_have_a_drawing_for_each_factor);
    suite_add_tcase(suite, page);
    TCase *stored = tcase_create("folder");
    tcase_add_checked_fixture(stored, set_up_folder, tear_down_folder);
    tcase_add_test(stored, the_folder_of_a_grid_gives_the_same_page);
    tcase_add_test(stored, the_folder_of_a_morris_design_gives_the_same_page);
    tcase_add_test(stored, each_member_of_study_json_is_needed);
    tcase_add_test(stored, the_page_is_written_with_and_without_gnuplot);
    suite_add_tcase(suite, stored);
    return suite;
}

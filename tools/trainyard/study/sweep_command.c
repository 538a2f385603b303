#include "tools/trainyard/study/sweep_command.h"

#include <inttypes.h>
#include <stdio.h>

#include "reports/page/page.h"
#include "reports/study/report.h"
#include "sim/base/units.h"
#include "sim/cli/disk_files.h"
#include "sim/cli/processors.h"
#include "sim/cli/report.h"
#include "sim/schema/json_load.h"
#include "sim/study/expect/study_expect.h"
#include "sim/study/study_options.h"
#include "tools/trainyard/policy/policy_file.h"
#include "tools/trainyard/study/sweep_text.h"

#define OWNER SweepArguments
static const Field sweep_options[] = {
    OPTION_FOLDER('o', "output", output_folder, "DIR",
                  "write the tables to DIR, and continue an interrupted sweep there"),
    OPTION_INTEGER('j', "threads", thread_count, "N", 1, 4096,
                   "run on N threads (as many as this process may use processors)"),
    OPTION_TEXTS(0, "vary", vary, "NAME=VALUES",
                 "of a scenario: vary its parameter NAME, or NAME=/POINTER=VALUES"),
    OPTIONS_OF_CHANGES(changes),
    OPTION_TEXTS(0, "metric", metrics, "METRIC", "record this metric (too, of a study file)"),
    OPTION_INTEGER(0, "seeds", seeds, "N", 1, REPLICATIONS_MAX,
                   "run each point N times, at least N with a stopping rule (20)"),
    OPTION_TEXT(0, "precision", precision, "RATIO",
                "of a scenario: continue each point until the half-width of every metric is at "
                "most this part of its mean"),
    OPTION_INTEGER(0, "at-most", at_most, "N", 1, REPLICATIONS_MAX,
                   "with --precision: at most N runs of each point (20 times --seeds)"),
    OPTION_FLAG(0, "steady", is_steady,
                "of a scenario: study its long run; pilot runs find the warm-up and the length "
                "that --precision (5%) needs, of queue_s.mean if there is no --metric"),
    OPTION_TEXTS(0, "baseline", baseline, "NAME=LEVEL",
                 "compare all points with the point of this level"),
    OPTION_DURATION(0, "time-limit", time_limit_ns, "TIME",
                    "stop after TIME, with exit code 4 and the results so far"),
    OPTION_TEXT(0, "shard", shard, "I/N",
                "run the part I, from 0, of a study that N processes divide"),
    OPTION_FILE(0, "policy", policy, "FILE",
                "let the function of a shared object choose the next job in all runs "
                "(trainyard_policy.h); what it prints goes to stderr"),
    OPTION_FLAG(0, "check-determinism", checks_determinism,
                "repeat each run, and stop at the first whose result differs"),
    OPTION_FLAG(0, "jobs", writes_jobs,
                "write jobs.csv to DIR too, a row a job: repeats all runs at the end"),
    OPTION_FLAG(0, "dry-run", is_forecast,
                "say how many runs there are and how long they will take, and stop"),
    OPTION_FLAG('q', "quiet", is_quiet, "print nothing but errors"),
    {0},
};
#undef OWNER

const OptionTable sweep_table = {
    .name = "sweep",
    .operands = "STUDY|SCENARIO",
    .summary = "Runs a scenario many times: every combination of the factors of a study, with "
               "many seeds each.",
    .details =
        "A study file names a scenario, the factors that vary and the metrics to record "
        "(scenarios/FORMAT.md). With --vary, --metric or --steady no study file is needed.\n"
        "\n"
        "DIR gets results.csv (a row a run), points.csv (a row a point: means with 95 % "
        "intervals, differences to the baseline), report.html (plots with intervals, differences, "
        "the "
        "effects of the factors), study.json (all points spelled out) and timing.csv. The tables "
        "have the same bytes for any number of threads, and after any "
        "interruption: the same command continues the sweep in DIR. `trainyard report DIR` makes "
        "report.html again, also while a sweep runs. Load the tables with\n"
        "  pandas:  pandas.read_csv(\"DIR/results.csv\")\n"
        "  DuckDB:  SELECT * FROM 'DIR/results.csv'\n"
        "  R:       read.csv(\"DIR/results.csv\", check.names = FALSE)\n"
        "`trainyard sqlite DIR` copies them into a database, `trainyard show DIR POINT SEED` "
        "prints "
        "the command that repeats a run.\n"
        "\n"
        "How a value and its interval are made depends on the metric (points.csv: method): the "
        "mean of "
        "the runs; a share of jobs, whose interval stays between 0 and 1; a percentile of the jobs "
        "of "
        "all runs together; a ratio of two totals, such as \"cost_usd.total / "
        "workloads.day.succeeded\". An interval that would not hold is left out, and the note says "
        "why. With \"horizon\": {\"kind\": \"steady\"} a study is about the long run: pilot runs "
        "of "
        "each point find the warm-up and how long its runs must be; --steady is that without a "
        "file.\n"
        "\n"
        "A factor whose levels made no difference is named after the table, with the limit that "
        "was reached: a quota of cores, for example.\n"
        "\n"
        "Replication r of every point has the same seed, so that points meet the same arrivals "
        "and failures. A value that is only a lower bound, because jobs still waited when the run "
        "ended, is named in the column lower_bounds.\n"
        "\n"
        "With --policy ./mine.so the scheduling policy of all runs is the function of a shared "
        "object, "
        "as with `trainyard run --policy`. To compare it with trainyard's own policies, let the "
        "study vary the policy and name it \"outside\" among the levels: its points alone use the "
        "function. study.json has its "
        "name, path and checksum, and a folder of another policy is not continued. Ranks on other "
        "machines need the same file. --check-determinism finds a policy that depends on more than "
        "its view.\n"
        "\n"
        "--shard I/N lets N processes that share nothing run a study: each runs its part, with the "
        "same command and another I. With a stopping rule (\"until\") a shard has whole points and "
        "ends them alone. Only where N is larger than the number of points do shards share a "
        "point; after each wave they then need the runs of the others, from `trainyard merge` or a "
        "folder that all use, and are started again. A shard that was killed is started again. "
        "Tables are written by the sweep without --shard in the merged or common folder; it "
        "also runs what is missing. One line for each scheduler:\n"
        "  Slurm:       sbatch --array=0-99 --wrap 'trainyard sweep STUDY "
        "--shard $SLURM_ARRAY_TASK_ID/100 -o part-$SLURM_ARRAY_TASK_ID'\n"
        "  parallel:    seq 0 7 | parallel trainyard sweep STUDY -j 1 --shard {}/8 -o part-{}\n"
        "  HTCondor:    arguments = sweep STUDY --shard $(Process)/100 -o part-$(Process)\n"
        "  Kubernetes:  trainyard sweep STUDY --shard $JOB_COMPLETION_INDEX/100 "
        "-o /out/part-$JOB_COMPLETION_INDEX\n"
        "\n"
        "`mpirun -n N trainyard sweep ...` runs on the ranks of Open MPI. Rank 0 hands out the "
        "runs and writes DIR, and needs no processor; the other ranks need no common folder, only "
        "the same files of the study. A rank has one thread unless -j is given (mpirun --map-by "
        "node:PE=8 ... -j 8). If a rank or a machine dies, mpirun ends all ranks: the same command "
        "continues from the runs that had reached rank 0.\n"
        "\n"
        "Exit code 0 when all runs are done, 2 for wrong input, 3 for a failure of this machine, "
        "4 after --time-limit or SIGTERM, 130 after Ctrl-C. The files are valid in all cases. "
        "Ctrl-C and SIGTERM wait for the runs that have begun, a second one does not. SIGUSR1 "
        "prints the progress.",
    .example = "trainyard sweep scenarios/studies/poisson-nodes/study.json -o out/nodes\n"
               "trainyard sweep scenarios/workloads/poisson/scenario.json --vary "
               "rate=/workloads/0/rate=6/h,12/h --seeds 40 --metric cost_usd.total\n"
               "trainyard sweep scenarios/workloads/poisson/scenario.json --vary "
               "policy=/policy=service,backfill,outside --metric queue_s.mean --policy ./mine.so",
    .options = sweep_options,
    .operand_count_min = 1,
    .operand_count_max = 1,
};

const SweepArguments sweep_defaults = {.time_limit_ns = INT64_MAX};

/* --- The study --- */

const Study *sweep_read_study(Arena *arena, const char *path, const SweepArguments *arguments,
                              Problems *problems)
{
    StudyExpectations checked;
    StudyPolicy *policy = NULL;
    if (arguments->policy != NULL &&
        (policy = policy_file_of_study(arena, arguments->policy, problems)) == NULL)
        return NULL;
    const StudyOptions options = {.path = scenario_operand(arena, path, true),
                                  .vary_count = arguments->vary.count,
                                  .vary = arguments->vary.items,
                                  .param_count = arguments->changes.params.count,
                                  .params = arguments->changes.params.items,
                                  .set_count = arguments->changes.sets.count,
                                  .sets = arguments->changes.sets.items,
                                  .metric_count = arguments->metrics.count,
                                  .metrics = arguments->metrics.items,
                                  .baseline_count = arguments->baseline.count,
                                  .baseline = arguments->baseline.items,
                                  .seeds = arguments->seeds,
                                  .at_most = arguments->at_most,
                                  .is_steady = arguments->is_steady,
                                  .precision = arguments->precision,
                                  .policy = policy};
    const Study *study = study_read_with(arena, disk_files, "trainyard: sweep", &options, problems);
    return study != NULL && study_expect_read(arena, study, &checked, problems) ? study : NULL;
}

/* --- The sweep --- */

enum { EXIT_STOPPED = 4, EXIT_SIGINT = 130, SIGNAL_INT = 2 };

static int exit_code_of_end(const Sweep *sweep)
{
    switch (sweep->end) {
    case RUNNER_SIGNALLED:
        return sweep->signal == SIGNAL_INT ? EXIT_SIGINT : EXIT_STOPPED;
    case RUNNER_LATE:
        return EXIT_STOPPED;
    case RUNNER_FINISHED:
    case RUNNER_FAILED:
        break;
    }
    return EXIT_FINE;
}

static void print(void (*write)(const Sweep *, Text *), const Sweep *sweep)
{
    Text text = {0};
    write(sweep, &text);
    fputs(text_string(&text), stdout);
    text_free(&text);
}

bool sweep_plan(const SweepArguments *arguments, SweepOptions *options, Problems *problems)
{
    *options = (SweepOptions){.folder = arguments->output_folder,
                              .version = TRAINYARD_VERSION,
                              .thread_count = arguments->thread_count > 0
                                                  ? (int32_t)arguments->thread_count
                                                  : processors_available(),
                              .time_limit_ns = arguments->time_limit_ns,
                              .is_quiet = arguments->is_quiet,
                              .is_forecast = arguments->is_forecast,
                              .shard = {0, 1},
                              .writes_jobs = arguments->writes_jobs,
                              .repeats = arguments->checks_determinism,
                              .run = sweep_on_threads};
    Status status;
    if (!arguments->shard ||
        shard_parse(arguments->shard, place_in("--shard", 0, 0), &options->shard, &status))
        return true;
    problems_add_status(problems, &status);
    return false;
}

/* The report, unless this is a part of a study. */
static int write_report(Arena *arena, const SweepOptions *options, const Sweep *done)
{
    Status no_plots = {0}, status = {0};
    if (options->folder == NULL || options->is_forecast || done->shard.count > 1)
        return EXIT_FINE;
    const StudyOutcome outcome = sweep_outcome(done);
    if (!study_report_write(arena, options->folder, &outcome, &no_plots, &status))
        return report_status(&status);
    if (!options->is_quiet)
        page_warn_of_plots(arena_printf(arena, "%s/report.html", options->folder), &no_plots);
    return EXIT_FINE;
}

int sweep_execute(Arena *arena, const Study *study, const SweepOptions *options, Problems *problems)
{
    Sweep done;
    if (!sweep_run(arena, study, disk_files, options, &done, problems))
        return report_problems(problems);
    if (options->is_forecast)
        print(sweep_text_forecast, &done);
    else if (!options->is_quiet)
        print(sweep_text_result, &done);
    const int report_code = write_report(arena, options, &done);
    const int exit_code = exit_code_of_end(&done);
    return exit_code != EXIT_FINE ? exit_code : report_code;
}

#include "sim/study/import/import.h"

#include <inttypes.h>
#include <string.h>

#include "sim/base/units.h"
#include "sim/scenario/joblist/job_list_file.h"
#include "tests/support/suite.h"
#include "tests/support/trace_logs.h"

static Arena *arena;
static Import import;
static Problems problems;

static void set_up(void)
{
    arena = arena_create();
    problems = problems_create(arena);
    import = (Import){0};
}

static void tear_down(void)
{
    import_free(&import);
    arena_destroy(arena);
}

enum { FILES_MAX = 3 };

/* Imports texts, ended by NULL, into `import`. */
static bool run_texts(const char *format, const ImportChoices *choices, const char *const *texts)
{
    ImportFile *files = ARENA_ARRAY(arena, ImportFile, FILES_MAX);
    ImportRequest *request = ARENA_NEW(arena, ImportRequest);
    *request = (ImportRequest){import_format_find(format), files, 0, choices};
    ck_assert(request->format != NULL);
    for (; texts[request->file_count] != NULL; request->file_count++)
        files[request->file_count] =
            (ImportFile){"log", texts[request->file_count], strlen(texts[request->file_count])};
    import_free(&import);
    return import_run(arena, request, &import, &problems);
}

static const ImportChoices no_choices;

static void import_text(const char *format, const ImportChoices *choices, const char *text)
{
    const bool is_done = run_texts(format, choices, (const char *const[]){text, NULL});
    ck_assert_msg(is_done, "%s", problems.count > 0 ? problems.items[0].message : "");
}

static void append(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

/* The rows of the workload file, without its comment. */
static const char *rows(void)
{
    Text text = {0};
    job_list_write(&import.selection.list, NULL, (ByteSink){&text, append});
    const char *copy = arena_strdup(arena, strchr(text_string(&text), '\n') + 1);
    text_free(&text);
    return copy;
}

static int64_t count_of(ImportRule rule)
{
    return import.log.counts[rule].count;
}

static void check_facts(const TraceLogFacts *facts)
{
    ck_assert_int_eq(import.selection.list.count, facts->jobs);
    for (int32_t i = 0; i < RULE_COUNT; i++)
        ck_assert_msg(count_of((ImportRule)i) == facts->counts[i],
                      "%s: %" PRId64 ", expected %" PRId64, import_rules[i].key,
                      count_of((ImportRule)i), facts->counts[i]);
}

/* --- Whole logs with known counts --- */

typedef void Generator(Text *out, int32_t jobs, TraceLogFacts *facts);

static void check_generated(const char *format, Generator *generate)
{
    enum { JOBS = 1200 };
    Text log = {0};
    TraceLogFacts facts;
    generate(&log, JOBS, &facts);
    import_text(format, &no_choices, arena_strdup(arena, text_string(&log)));
    check_facts(&facts);
    text_free(&log);
}

START_TEST(every_peculiarity_of_generated_logs_is_counted)
{
    check_generated("philly", trace_log_philly);
    check_generated("philly-csv", trace_log_philly_csv);
    check_generated("helios", trace_log_helios);
    check_generated("acme", trace_log_acme_seren);
    check_generated("acme", trace_log_acme_kalos);
    check_generated("pai-2023", trace_log_pai2023);
    check_generated("swf", trace_log_swf);
    check_generated("slurm", trace_log_slurm);
}
END_TEST

START_TEST(the_tables_of_pai_2020_are_joined)
{
    Text jobs = {0}, tasks = {0}, instances = {0};
    TraceLogFacts facts;
    trace_log_pai2020(&jobs, &tasks, &instances, 1200, &facts);
    const char *const texts[] = {text_string(&tasks), text_string(&jobs), NULL};
    ck_assert(run_texts("pai-2020", &no_choices, texts));
    check_facts(&facts);
    const int64_t run_ns = import.selection.list.run_ns[0];
    const char *const all[] = {text_string(&jobs), text_string(&tasks), text_string(&instances),
                               NULL};
    ck_assert(run_texts("pai-2020", &no_choices, all));
    ck_assert_int_eq(import.selection.list.count, facts.jobs);
    // The instances begin 5 s after their task.
    ck_assert_int_eq(import.selection.list.run_ns[0], run_ns - 5 * NS_PER_S);
    text_free(&jobs);
    text_free(&tasks);
    text_free(&instances);
}
END_TEST

/* --- Examples: the sample rows of the traces' own documents --- */

#define PHILLY_JOB(attempts)                                                                       \
    "[{\"status\":\"Pass\",\"vc\":\"ee9e8c\",\"jobid\":\"application_1506638472019_14199\","       \
    "\"user\":\"ce2f4c\",\"submitted_time\":\"2017-10-07 01:11:39\",\"attempts\":[" attempts "]}]"
#define ATTEMPT(start, end, gpus)                                                                  \
    "{\"start_time\":\"" start "\",\"end_time\":\"" end "\",\"detail\":[{\"ip\":\"m47\","          \
    "\"gpus\":[" gpus "]}]}"
#define EIGHT "0,1,2,3,4,5,6,7"
#define FIRST ATTEMPT("2017-10-07 01:12:09", "2017-10-07 01:13:23", EIGHT)
#define SECOND ATTEMPT("2017-10-07 01:13:30", "2017-10-09 06:53:12", EIGHT)

START_TEST(attempts_of_philly_are_added_split_or_the_last_counts)
{
    const char *log = PHILLY_JOB(FIRST "," SECOND);
    import_text("philly", &no_choices, log);
    // 74 s + 193,182 s: the duration in the derived CSV of this very job is 193256.0
    ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus,queue,user,state,recorded_wait_s\n"
                             "application_1506638472019_14199,0,193256,8,ee9e8c,ce2f4c,Pass,30\n");
    const ImportChoices last = {.attempts = ATTEMPTS_LAST}, each = {.attempts = ATTEMPTS_EACH};
    import_text("philly", &last, log);
    ck_assert_int_eq(import.selection.list.run_ns[0], 193182 * NS_PER_S);
    import_text("philly", &each, log);
    ck_assert_int_eq(import.selection.list.count, 2);
    ck_assert_str_eq(import.selection.list.names[1], "application_1506638472019_14199#2");
    // The second attempt is submitted when the first ends, 104 s after the submission.
    ck_assert_int_eq(import.selection.list.submit_ns[1], 104 * NS_PER_S);
    ck_assert_int_eq(import.selection.list.recorded_wait_ns[1], 7 * NS_PER_S);
}
END_TEST

START_TEST(philly_and_its_derived_table_agree)
{
    import_text("philly", &no_choices, PHILLY_JOB(FIRST "," SECOND));
    const int64_t origin_ns = import.selection.origin_ns, run_ns = import.selection.list.run_ns[0];
    import_text("philly-csv", &no_choices,
                "timestamp,duration,num_gpus,gpu_time,cluster\n"
                "2017-10-07 01:11:39,193256.0,8,1546048.0,ee9e8c\n");
    ck_assert_int_eq(import.selection.origin_ns, origin_ns);
    ck_assert_int_eq(import.selection.list.run_ns[0], run_ns);
    ck_assert_int_eq(import.selection.list.gpus[0], 8);
}
END_TEST

/* 2017-11-05 02:00 PDT became 01:00 PST. */
START_TEST(a_night_in_which_the_clocks_change_has_its_true_length)
{
    import_text("philly", &no_choices,
                PHILLY_JOB(ATTEMPT("2017-11-04 23:00:00", "2017-11-05 05:00:00", "0")));
    ck_assert_int_eq(import.selection.list.run_ns[0], 7 * NS_PER_HOUR);
    // 01:50 to 01:20 is 30 minutes, not a mistake: the second time is after the change.
    import_text("philly", &no_choices,
                PHILLY_JOB(ATTEMPT("2017-11-05 01:50:00", "2017-11-05 01:20:00", "0")));
    ck_assert_int_eq(import.selection.list.run_ns[0], NS_PER_HOUR / 2);
    ck_assert_int_eq(count_of(RULE_REPEATED_HOUR), 2);
    const ImportChoices utc = {.timezone = "UTC"};
    import_text("philly", &utc,
                PHILLY_JOB(ATTEMPT("2017-11-04 23:00:00", "2017-11-05 05:00:00", "0")));
    ck_assert_int_eq(import.selection.list.run_ns[0], 6 * NS_PER_HOUR);
}
END_TEST

START_TEST(helios_is_read_in_the_time_of_china)
{
    import_text("helios", &no_choices,
                "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,"
                "duration,queue\n1425511,uXBbc,vcJkd,1,1,1,COMPLETED,2020-06-09 18:41:01,"
                "2020-06-09 18:41:01,2020-06-10 04:55:09,36848,0\n");
    Text time = {0};
    import_time_print(&import, import.selection.origin_ns, &time);
    ck_assert_str_eq(text_string(&time), "2020-06-09T18:41:01+08:00");
    text_free(&time);
    ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus,nodes,cpus,queue,user,state,recorded_wait_s\n"
                             "1425511,0,36848,1,1,1,vcJkd,uXBbc,COMPLETED,0\n");
}
END_TEST

#define SEREN                                                                                      \
    "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,"    \
    "queue,gpu_time\n"                                                                             \
    "5778432,u5907,1,8,128,Other,FAILED,2023-03-01 00:18:22+08:00,2023-03-01 00:18:54+08:00,"      \
    "2023-03-01 00:20:51+08:00,117,32,936.0\n"
#define KALOS                                                                                      \
    "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,"           \
    "submit_time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time\n"                \
    "dlctk696s0jbvitv,uf794,8,64,960,1000,100.0,Other,FAILED,2023-05-17 11:00:58+00:00,"           \
    "2023-05-17 11:01:08+00:00,2023-05-17 11:01:16+00:00,2023-05-17 11:01:16+00:00,,18,10.0,"      \
    "1152.0\n"

START_TEST(acme_has_two_layouts_with_different_offsets)
{
    import_text("acme", &no_choices, SEREN);
    ck_assert_int_eq(import.selection.origin_ns, INT64_C(1677601102) * NS_PER_S);
    ck_assert_int_eq(import.selection.list.run_ns[0], 117 * NS_PER_S);
    ck_assert_int_eq(count_of(RULE_DURATION), 0);
    import_text("acme", &no_choices, KALOS);
    ck_assert_int_eq(import.selection.origin_ns, INT64_C(1684321258) * NS_PER_S);
    // The log says 18 s, which is end - submission; the job ran for 8 s.
    ck_assert_int_eq(import.selection.list.run_ns[0], 8 * NS_PER_S);
    ck_assert_int_eq(count_of(RULE_DURATION), 1);
    ck_assert_int_eq(import.selection.list.memory_bytes[0], INT64_C(8000000000000));
}
END_TEST

START_TEST(per_cent_of_a_gpu_are_not_gpus)
{
    const char *const tables[] = {"j,i,u,Terminated,494319.0,494419.0\n",
                                  "j,w,5,Terminated,494329.0,494419.0,600.0,10.0,50.0,T4\n", NULL};
    ck_assert(run_texts("pai-2020", &no_choices, tables));
    ck_assert_int_eq(import.selection.list.gpus[0], 3); // 5 x 0.5, rounded up
    ck_assert_int_eq(import.selection.list.cpus[0], 30);
    ck_assert_int_eq(import.selection.list.recorded_wait_ns[0], 10 * NS_PER_S);
    ck_assert_int_eq(count_of(RULE_GPU_PART), 1);
    const ImportChoices choices = {.columns = "submit=t,run=d:min,gpus=g:percent"};
    import_text("csv", &choices, "t,d,g\n0,1.5,150\n");
    ck_assert_int_eq(import.selection.list.gpus[0], 2);
    ck_assert_int_eq(import.selection.list.run_ns[0], 90 * NS_PER_S);
    ck_assert_int_eq(count_of(RULE_GPU_PART), 1);
}
END_TEST

START_TEST(cells_may_have_the_units_of_kubernetes)
{
    const ImportChoices choices = {.columns = "submit=t,run=d,gpus=g,cpus=c,memory=m"};
    import_text("csv", &choices, "t,d,g,c,m\n0,60,1500m,7500m,64Gi\n1,60,1,4,1024\n");
    ck_assert_int_eq(import.selection.list.gpus[0], 2);
    ck_assert_int_eq(count_of(RULE_GPU_PART), 1);
    ck_assert_int_eq(import.selection.list.cpus[0], 8);
    ck_assert_int_eq(import.selection.list.memory_bytes[0], INT64_C(64) << 30);
    ck_assert_int_eq(import.selection.list.cpus[1], 4);
    ck_assert_int_eq(import.selection.list.memory_bytes[1], 1024);
    // A unit of the column is that of all its cells.
    problems = problems_create(arena);
    const ImportChoices stated = {.columns = "submit=t,run=d,gpus=g,memory=m:MiB"};
    ck_assert(!run_texts("csv", &stated, (const char *const[]){"t,d,g,m\n0,60,1,64Gi\n", NULL}));
}
END_TEST

START_TEST(swf_of_hpc2n_waits_and_runs)
{
    const char *line = "1 0 308434 31405 30 31405 -1 30 37980 -1 1 1 1 -1 -1 1 -1 -1\n";
    import_text("swf", &no_choices, line);
    ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus,cpus,user,requested_s,state,recorded_wait_s\n"
                             "1,0,31405,30,30,u1,37980,completed,308434\n");
    const ImportChoices nodes = {.processors_per_node = 4};
    import_text("swf", &nodes, line);
    ck_assert_int_eq(import.selection.list.nodes[0], 8);
    ck_assert_int_eq(import.selection.list.gpus[0], 32);
    ck_assert_int_eq(count_of(RULE_WHOLE_NODES), 1);
    ck_assert_int_eq(count_of(RULE_AS_GPUS), 0);
}
END_TEST

START_TEST(swf_submissions_may_be_absolute)
{
    import_text("swf", &no_choices, "1 1380000000 1 5 2 -1 -1 2 -1 -1 1 1 1 1 1 1 -1 -1 n1 q p\n");
    ck_assert(import.log.has_calendar && count_of(RULE_EXTRA_FIELDS) == 1);
    ck_assert_int_eq(import.selection.origin_ns, INT64_C(1380000000) * NS_PER_S);
}
END_TEST

START_TEST(swf_jobs_follow_others_after_a_think_time)
{
    import_text(
        "swf", &no_choices,
        "7 0 0 10 2 -1 -1 2 -1 -1 1 1 1 1 1 1 -1 -1\n8 20 0 5 2 -1 -1 2 -1 -1 1 1 1 1 1 1 7 10\n");
    ck_assert_int_eq(import.selection.list.after_job[1], 0);
    ck_assert_int_eq(import.selection.list.think_ns[1], 10 * NS_PER_S);
}
END_TEST

static const char throughputs[] =
    "{\"k80\": {}, \"v100\": {\"('A (batch size 4)', 1)\": {\"null\": 2.5, \"('B', 1)\": [1, 2]},"
    " \"('A (batch size 4)', 2)\": {\"null\": 4}}}";

START_TEST(gavel_has_three_generations_of_columns)
{
    static const char *const traces[] = {
        "A (batch size 4)\tcmd\t--steps\t1000\t60\t1\n",
        "A (batch size 4)\tcmd\t--steps\t0\t1000\t60.0\t1\n",
        "A (batch size 4)\tcmd\t/dir\t--steps\t0\t1000\t1\t1\t-1.000000\t60.0\n"};
    for (size_t i = 0; i < 3; i++) {
        ck_assert(
            run_texts("gavel", &no_choices, (const char *const[]){traces[i], throughputs, NULL}));
        ck_assert_int_eq(import.selection.list.run_ns[0], 400 * NS_PER_S); // 1000 / 2.5
        ck_assert_int_eq(import.selection.origin_ns, 60 * NS_PER_S);
        ck_assert_int_eq(import.selection.list.gpus[0], 1);
    }
    ck_assert(!run_texts("gavel", &no_choices, (const char *const[]){traces[0], NULL}));
    ck_assert(strstr(problems.items[0].message, "throughput") != NULL);
    const ImportChoices p100 = {.gpu_type = "p100"};
    ck_assert(!run_texts("gavel", &p100, (const char *const[]){throughputs, traces[0], NULL}));
}
END_TEST

START_TEST(sia_needs_run_times_and_tiresias_has_them)
{
    const char *const items[] = {"cifar10=30m"};
    const ImportChoices run_times = {.run_times = {items, 1}};
    const char *log =
        "name,time,application,num_replicas,batch_size\ncifar10-0,107,cifar10,6,2048\n";
    import_text("sia", &run_times, log);
    ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus,user\ncifar10-0,0,1800,6,cifar10\n");
    ck_assert(!run_texts("sia", &no_choices, (const char *const[]){log, NULL}));
    ck_assert(problems.items[0].at.line == 2 && problems.items[0].at.column == 15);
    problems = problems_create(arena);
    import_text("tiresias", &no_choices,
                "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"
                "5,4,10,100,vgg16,3600,1\n");
    ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus\n5,0,3600,4\n");
}
END_TEST

START_TEST(slurm_knows_resources_limits_and_states)
{
    const ImportChoices berlin = {.timezone = "Europe/Berlin"};
    import_text("slurm", &berlin,
                "JobID|User|Partition|Submit|Start|End|State|AllocTRES|TimelimitRaw\n"
                "123_4|ann|gpu|2024-03-30T10:00:00|2024-03-30T10:05:00|2024-03-31T10:05:00|"
                "COMPLETED|billing=8,cpu=8,gres/gpu:a100=2,gres/gpu=2,mem=1.5G,node=1|2880\n");
    // The night of 2024-03-31 has an hour less in Berlin.
    ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus,nodes,cpus,memory_bytes,gpu_type,queue,user,"
                             "requested_s,state,recorded_wait_s\n"
                             "123_4,0,82800,2,1,8,1610612736,a100,gpu,ann,172800,COMPLETED,300\n");
}
END_TEST

/* --- Jobs that had not ended --- */

#define SACCT "JobID|Submit|Start|End|Elapsed|State|AllocTRES|TimelimitRaw\n"

START_TEST(a_job_that_had_not_ended_has_its_time_until_then)
{
    // The log was taken at 15:00: the elapsed times say so, no date does.
    const char *log = SACCT "1|2024-03-30T10:00:00|2024-03-30T10:00:00|2024-03-30T12:00:00|"
                            "02:00:00|COMPLETED|gres/gpu=4|\n"
                            "2|2024-03-30T10:30:00|2024-03-30T11:00:00|Unknown|04:00:00|RUNNING|"
                            "gres/gpu=8|600\n"
                            "3|2024-03-30T11:00:00|2024-03-30T12:00:00|Unknown|03:00:00|RUNNING|"
                            "gres/gpu=1|60\n" // its end was lost: it is over since 13:00
                            "4|2024-03-30T11:00:00|Unknown|Unknown|00:00:00|PENDING||60\n"
                            "5|2024-03-30T11:00:00|2024-04-30T11:00:00|Unknown|00:00:00|PENDING|"
                            "|60\n"; // expected to start then
    import_text("slurm", &no_choices, log);
    ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus,requested_s,state,recorded_wait_s\n"
                             "1,0,7200,4,,COMPLETED,0\n2,1800,14400,8,36000,RUNNING,1800\n"
                             "3,3600,3600,1,3600,RUNNING,3600\n");
    ck_assert_int_eq(count_of(RULE_NO_END), 1);
    ck_assert_int_eq(count_of(RULE_LOST_END), 1);
    ck_assert_int_eq(count_of(RULE_WAITING), 2);
    ck_assert_int_eq(count_of(RULE_DURATION), 0);
    const Json *sidecar = import_sidecar(arena, &import);
    ck_assert_str_eq(json_find(sidecar, "/log_end")->text, "2024-03-30T15:00:00+00:00");
    ck_assert_int_eq(json_find(sidecar, "/open_jobs")->integer, 1);
    ck_assert_int_eq(json_find(sidecar, "/open_gpu_hours")->integer, 32);
    // 8 GPUs for 4 h; all jobs have 4 x 2 + 8 x 4 + 1 GPU-hours.
    static const char words[] =
        "1 job had not ended when the log was taken: at 2024-03-30T15:00:00+00:00, the latest time "
        "in it (log:3). With the time until then such jobs have 32 GPU-hours, 78.0 % of all; the "
        "longest run is 4 h, of job 2.";
    ck_assert_msg(strstr(text_string(&import.log.notes), words) != NULL, "%s",
                  text_string(&import.log.notes));
    const ImportChoices completed = {.states = STATES_COMPLETED};
    import_text("slurm", &completed, log);
    ck_assert_int_eq(import.selection.list.count, 1);
    ck_assert_int_eq(count_of(RULE_NO_END), 0);
    ck_assert(strstr(text_string(&import.log.notes), "not ended") == NULL);
}
END_TEST

#define OPEN_ATTEMPT                                                                               \
    "{\"start_time\":\"2017-10-07 01:13:30\",\"end_time\":null,\"detail\":[{\"gpus\":[" EIGHT "]}" \
    "]}"
#define LATER_JOB                                                                                  \
    "[{\"jobid\":\"b\",\"submitted_time\":\"2017-10-07 01:15:00\",\"attempts\":[" ATTEMPT(         \
        "2017-10-07 01:16:00", "2017-10-07 01:20:00", "0") "]}]"

START_TEST(attempts_before_one_that_had_not_ended_count_too)
{
    // 74 s, and from 01:13:30 until 01:20:00, which is the latest time of both files.
    const char *const logs[] = {PHILLY_JOB(FIRST "," OPEN_ATTEMPT), LATER_JOB, NULL};
    ck_assert(run_texts("philly", &no_choices, logs));
    ck_assert_int_eq(import.selection.list.run_ns[0], (74 + 390) * NS_PER_S);
    const ImportChoices last = {.attempts = ATTEMPTS_LAST}, each = {.attempts = ATTEMPTS_EACH};
    ck_assert(run_texts("philly", &last, logs));
    ck_assert_int_eq(import.selection.list.run_ns[0], 390 * NS_PER_S);
    ck_assert(run_texts("philly", &each, logs));
    ck_assert_int_eq(import.selection.list.run_ns[0], 74 * NS_PER_S);
    ck_assert_int_eq(import.selection.list.run_ns[1], 390 * NS_PER_S);
}
END_TEST

START_TEST(states_say_which_jobs_of_a_table_had_not_ended)
{
    const ImportChoices choices = {.columns = "submit=t,start=b,end=e,run=d,wait=w,gpus=g,state=s"};
    import_text("csv", &choices,
                "t,b,e,d,w,g,s\n"
                "0,10,100,,,1,COMPLETED\n" // 90 s
                "1,10,,,,1,Running\n"      // until 1000 s: 990 s
                "2,10,,,,1,failed\n"       // ended, at an unknown time
                "3,,,0,0,1,Pending\n"      // waits
                "4,,,50,6,1,running\n"     // 50 s so far
                "5,,,,7,1,\n"              // since 12 s: 988 s
                "6,,,,,1,\n"               // nothing is known
                "7,10,1000,,,1,mine\n");
    ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus,state,recorded_wait_s\n"
                             "1,0,90,1,COMPLETED,10\n2,1,990,1,Running,9\n"
                             "3,4,50,1,running,6\n4,5,988,1,,7\n5,7,990,1,mine,3\n");
    ck_assert_int_eq(count_of(RULE_NO_END), 3);
    ck_assert_int_eq(count_of(RULE_NO_RUN), 2);
    ck_assert_int_eq(count_of(RULE_WAITING), 1);
}
END_TEST

START_TEST(dates_that_are_not_set_and_expected_ends_are_not_ends)
{
    const ImportChoices choices = {.columns =
                                       "submit=t:time,start=b:time,end=e:time,gpus=g,state=s"};
    import_text("csv", &choices,
                "t,b,e,g,s\n"
                "2026-03-28 10:00:00,2026-03-28 10:00:00,2026-03-28 12:00:00,1,done\n"
                "2026-03-28 10:00:00,2026-03-28 11:00:00,1970-01-01 00:00:00,1,running\n"
                "2026-03-28 10:00:00,2026-03-28 11:00:00,2099-12-31 00:00:00,1,running\n");
    ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus,state,recorded_wait_s\n1,0,7200,1,done,0\n"
                             "2,0,3600,1,running,3600\n3,0,3600,1,running,3600\n");
    ck_assert_int_eq(count_of(RULE_NO_END), 2);
}
END_TEST

/* A job every 5 min at a steady load, nine of ten for 1 h, the others for 9 days; the log is taken
 * on the 60th day, and the long jobs of its last 9 days have not ended. */
START_TEST(the_demand_lacks_about_what_jobs_that_had_not_ended_have_so_far)
{
    enum { DAY_S = 86400, END_S = 60 * DAY_S, STEP_S = 300, LONG_S = 9 * DAY_S };
    Text log = {0};
    double demand_s = 0, dropped_s = 0;
    text_add(&log, "t,b,e,g\n");
    for (int32_t start_s = 0; start_s <= END_S; start_s += STEP_S) {
        // One of ten on average, at places that are not regular.
        const bool is_long = (uint32_t)start_s * 2654435761U >> 16 < 6554;
        const int32_t run_s = is_long ? LONG_S : 3600, end_s = start_s + run_s;
        demand_s += run_s;
        dropped_s += end_s > END_S ? 0 : run_s;
        text_printf(&log, "%d,%d,", start_s, start_s);
        if (end_s <= END_S)
            text_printf(&log, "%d", end_s);
        text_add(&log, ",1\n");
    }
    const ImportChoices choices = {.columns = "submit=t,start=b,end=e,gpus=g"};
    import_text("csv", &choices, text_string(&log));
    const double kept = (double)import.selection.gpu_s / demand_s;
    const double open = (double)import.selection.open_gpu_s / demand_s;
    // Long jobs have nearly all of the demand, and those of 9 days of 60 are half over on average.
    ck_assert_double_eq_tol(kept, 1 - 4.5 / 60, 0.01);
    ck_assert_double_eq_tol(kept + open, 1, 0.01);
    ck_assert_double_eq_tol(dropped_s / demand_s, 1 - 9.0 / 60, 0.01); // without them
    text_free(&log);
}
END_TEST

/* --- What misleads --- */

START_TEST(a_job_in_the_files_of_two_months_is_one_job)
{
    const char *const months[] = {
        SACCT "1|2024-03-30T10:00:00|2024-03-30T10:00:00|Unknown|1-00:00:00|RUNNING|gres/gpu=4|\n"
              "2|2024-03-30T10:00:00|2024-03-30T11:00:00|2024-03-30T12:00:00|01:00:00|FAILED|"
              "gres/gpu=1|\n",
        SACCT "1|2024-03-30T10:00:00|2024-03-30T10:00:00|2024-04-02T10:00:00|3-00:00:00|COMPLETED|"
              "gres/gpu=4|\n"
              // The number was given anew, or the job was submitted again: another one.
              "2|2024-04-01T10:00:00|2024-04-01T10:00:00|2024-04-01T10:01:00|00:01:00|COMPLETED|"
              "gres/gpu=1|\n",
        NULL};
    static const char expected[] =
        "job,submit_s,run_s,gpus,state,recorded_wait_s\n1,0,259200,4,COMPLETED,0\n"
        "2,0,3600,1,FAILED,3600\n2#2,172800,60,1,COMPLETED,0\n";
    ck_assert(run_texts("slurm", &no_choices, months));
    ck_assert_str_eq(rows(), expected);
    ck_assert_int_eq(count_of(RULE_SAME_JOB), 1);
    ck_assert_int_eq(count_of(RULE_NO_END), 0);
    // In the other order the row with the end counts, too.
    ck_assert(run_texts("slurm", &no_choices, (const char *const[]){months[1], months[0], NULL}));
    ck_assert_int_eq(import.selection.list.run_ns[0], 72 * NS_PER_HOUR);
    ck_assert_int_eq(count_of(RULE_NO_END), 0);
}
END_TEST

START_TEST(time_in_which_a_job_of_slurm_was_suspended_is_not_run_time)
{
    import_text("slurm", &no_choices,
                SACCT "1|2024-03-30T10:00:00|2024-03-30T10:00:00|2024-03-30T12:00:00|00:30:00|"
                      "COMPLETED|gres/gpu=4|\n");
    ck_assert_int_eq(import.selection.list.run_ns[0], NS_PER_HOUR / 2);
    ck_assert_int_eq(count_of(RULE_SUSPENDED), 1);
}
END_TEST

START_TEST(compressed_files_are_named)
{
    ck_assert(!run_texts("slurm", &no_choices, (const char *const[]){"\x1f\x8b\x08", NULL}));
    ck_assert_str_eq(problems.items[0].message, "the file is compressed (gzip)");
    ck_assert_str_eq(problems.items[0].hint, "`gunzip log` first");
}
END_TEST

static bool has_note(const char *words)
{
    return strstr(text_string(&import.log.notes), words) != NULL;
}

START_TEST(a_list_without_the_short_jobs_of_its_begin_and_a_gap_are_noted)
{
    const ImportChoices choices = {.columns = "submit=t,run=d,gpus=g"};
    Text log = {0};
    // Two jobs of 100 h and more were still there when the log begins, at 100 h; then one an hour.
    text_add(&log, "t,d,g\n0,360000,1\n3600,400000,1\n");
    for (int32_t hour = 100; hour < 400; hour++)
        if (hour < 200 || hour >= 280)
            text_printf(&log, "%d,600,1\n", hour * 3600);
    import_text("csv", &choices, text_string(&log));
    ck_assert_msg(
        has_note("The log seems to begin at 360000s, when its first job ended: in the 4 d "
                 "4 h before that only 2 jobs of the list were submitted, and 73 would "
                 "have been"),
        "%s", text_string(&import.log.notes));
    ck_assert(has_note("then; --window 360000s.. leaves out that time"));
    ck_assert_msg(has_note("No job was submitted for 3 d 9 h from 716400s on, when 81 would"), "%s",
                  text_string(&import.log.notes));
    import_note_pieces(&import, 7 * NS_PER_DAY);
    ck_assert_msg(
        has_note("Runs draw from 2 pieces of 7 d. The 64 jobs after the last whole piece, "
                 "with 4.3 % of the GPU-hours, are never drawn."),
        "%s", text_string(&import.log.notes));
    Text summary = {0};
    import_summary(&import, &summary);
    // 100 h, 111.1 h and 220 x 10 min, within 399 h.
    ck_assert(strstr(text_string(&summary), "on average 0.6 GPUs are busy, over the 16 d 15 h of "
                                            "submissions") != NULL);
    text_free(&summary);
    const ImportChoices window = {.columns = choices.columns, .window = "360000s.."};
    import_text("csv", &window, text_string(&log));
    ck_assert(!has_note("seems to begin"));
    text_free(&log);
}
END_TEST

/* --- Options --- */

#define TINY                                                                                       \
    "timestamp,duration,num_gpus,gpu_time,cluster\n"                                               \
    "2017-10-02 00:00:00,30.0,1,1.0,b\n2017-10-01 00:00:00,10.0,4,1.0,a\n"                         \
    "2017-10-03 00:00:00,0.0,2,1.0,a\n2017-10-01 00:00:00,20.0,2,1.0,b\n"

START_TEST(rows_are_sorted_by_submission_then_by_their_order)
{
    import_text("philly-csv", &no_choices, TINY);
    ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus,queue\n1,0,10,4,a\n2,0,20,2,b\n"
                             "3,86400,30,1,b\n4,172800,0,2,a\n");
    ck_assert_int_eq(count_of(RULE_ZERO_RUN), 1);
}
END_TEST

START_TEST(windows_are_dates_or_durations)
{
    static const char *const windows[] = {"2017-10-02..2017-10-03", "1d..2d", "1d..47h59m"};
    for (size_t i = 0; i < 3; i++) {
        const ImportChoices choices = {.window = windows[i]};
        import_text("philly-csv", &choices, TINY);
        ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus,queue\n1,0,30,1,b\n");
        ck_assert_int_eq(count_of(RULE_OUTSIDE), 3);
    }
    // Time 0 is the begin of the window, not the first job in it.
    const ImportChoices open = {.window = "2017-10-01 12:00:00.."};
    import_text("philly-csv", &open, TINY);
    ck_assert_int_eq(import.selection.list.submit_ns[0], 12 * NS_PER_HOUR);
}
END_TEST

START_TEST(queues_run_times_load_and_requests_can_be_changed)
{
    const char *const queues[] = {"a"};
    const ImportChoices choices = {.queues = {queues, 1},
                                   .clamp_run = "1s..5s",
                                   .scale_load = "2",
                                   .requested = "run*1.5",
                                   .gpus_per_node_max = 3};
    import_text("philly-csv", &choices, TINY);
    ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus,gpus_per_node_max,queue,requested_s\n"
                             "1,0,5,4,3,a,7.5\n2,86400,1,2,2,a,1.5\n");
    ck_assert_int_eq(count_of(RULE_CLAMPED), 2);
    ck_assert_int_eq(count_of(RULE_OTHER_QUEUE), 2);
}
END_TEST

START_TEST(only_completed_jobs_can_be_taken)
{
    const ImportChoices choices = {.states = STATES_COMPLETED, .only_counts = true};
    import_text("acme", &choices, SEREN);
    ck_assert_int_eq(import.selection.list.count, 0);
    ck_assert_int_eq(count_of(RULE_INCOMPLETE), 1);
}
END_TEST

START_TEST(gpu_types_are_renamed)
{
    const char *const maps[] = {"V100M16=V100"};
    const ImportChoices choices = {.map_gpu_types = {maps, 1}};
    import_text(
        "pai-2023", &choices,
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
        "deletion_time,scheduled_time\np,1000,1024,1,1000,V100M16|V100M32,LS,Succeeded,0,9,4\n");
    ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus,nodes,cpus,memory_bytes,gpu_type,queue,state,"
                             "recorded_wait_s\np,0,5,1,1,1,1073741824,V100,LS,Succeeded,4\n");
}
END_TEST

/* The jobs that stay at a lower share also stay at a higher one. */
START_TEST(thinning_drops_jobs_by_their_place_in_the_log)
{
    Text log = {0};
    TraceLogFacts facts;
    trace_log_philly_csv(&log, 4000, &facts);
    const ImportChoices choices = {.thin = "0.25", .thin_seed = 5};
    import_text("philly-csv", &choices, text_string(&log));
    const int64_t quarter = import.selection.list.count;
    // 4000 draws of 0.25: mean 1000, standard deviation 27.
    ck_assert(quarter > 890 && quarter < 1110);
    ck_assert_int_eq(count_of(RULE_THINNED), 4000 - quarter);
    const char *first = rows();
    import_text("philly-csv", &choices, text_string(&log));
    ck_assert_str_eq(rows(), first);
    const ImportChoices other = {.thin = "0.25", .thin_seed = 6};
    import_text("philly-csv", &other, text_string(&log));
    ck_assert_str_ne(rows(), first);
    text_free(&log);
}
END_TEST

START_TEST(requests_are_drawn_between_two_factors)
{
    Text log = {0};
    TraceLogFacts facts;
    trace_log_philly_csv(&log, 500, &facts);
    const ImportChoices choices = {.requested = "run*1..3"};
    import_text("philly-csv", &choices, text_string(&log));
    const JobList *list = &import.selection.list;
    double sum = 0;
    for (int64_t i = 0; i < list->count; i++) {
        ck_assert(list->requested_ns[i] >= list->run_ns[i]);
        ck_assert(list->requested_ns[i] <= 3 * list->run_ns[i]);
        sum += (double)list->requested_ns[i] / (double)list->run_ns[i];
    }
    // The mean of 500 factors between 1 and 3 is 2, with a standard deviation of 0.026.
    ck_assert(sum / 500 > 1.9 && sum / 500 < 2.1);
    text_free(&log);
}
END_TEST

START_TEST(queues_get_names_that_clusters_may_have)
{
    import_text("philly-csv", &no_choices,
                "timestamp,duration,num_gpus,cluster\n2017-10-07 01:11:39,1,1,a b.c\n");
    ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus,queue\n1,0,1,1,a_b_c\n");
    ck_assert_int_eq(count_of(RULE_QUEUE), 1);
}
END_TEST

START_TEST(a_table_may_state_speeds_on_kinds_of_nodes)
{
    const ImportChoices choices = {.columns = "submit=t,run=d,gpus=g,speeds=s"};
    import_text("csv", &choices, "t,d,g,s\n0,60,1,V100=1|A100=2.5\n1,60,1,\n");
    ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus,speeds\n1,0,60,1,V100=1|A100=2.5\n"
                             "2,1,60,1,\n");
}
END_TEST

START_TEST(gpu_types_are_renamed_in_lists_and_in_speeds)
{
    const char *const maps[] = {"V100M16=V100", "V100M32=V100"};
    const ImportChoices choices = {.map_gpu_types = {maps, 2},
                                   .columns = "submit=t,run=d,gpus=g,gpu_type=k,speeds=s"};
    import_text("csv", &choices,
                "t,d,g,k,s\n0,60,1,V100M16|T4|V100M32,V100M16=1|T4=0.5|V100M32=1\n"
                "1,60,1,T4,V100M16=1|V100M32=2\n");
    ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus,gpu_type,speeds\n"
                             "1,0,60,1,V100|T4,V100=1|T4=0.5\n"
                             "2,1,60,1,T4,V100=1|V100=2\n"); // refused when the scenario is read
}
END_TEST

START_TEST(jobs_without_a_name_get_one_if_others_have_names)
{
    const ImportChoices choices = {.columns = "job=j,submit=t,run=d,gpus=g"};
    import_text("csv", &choices, "j,t,d,g\na,0,1,1\n,0,1,1\n");
    ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus\na,0,1,1\nunnamed,0,1,1\n");
}
END_TEST

START_TEST(repeated_names_get_a_number)
{
    const char *job = "5,4,10,100,m,3600,1\n";
    const char *log = arena_printf(arena,
                                   "job_id,num_gpu,submit_time,iterations,model_name,"
                                   "duration,interval\n%s%s%s",
                                   job, job, job);
    import_text("tiresias", &no_choices, log);
    ck_assert_str_eq(rows(), "job,submit_s,run_s,gpus\n5,0,3600,4\n5#2,0,3600,4\n5#3,0,3600,4\n");
    ck_assert_int_eq(count_of(RULE_NAME), 2);
}
END_TEST

/* --- Mistakes --- */

START_TEST(mistakes_have_their_place)
{
    static const struct {
        const char *format, *log;
        int32_t line, column;
        const char *message;
    } bad[] = {
        {"philly", "[{\"status\":\n \"Pass\" 7}]", 2, 9, "expected ',' or '}', found '7'"},
        {"philly", "[{\"jobid\":\"a\",\"submitted_time\":\"x\",\"attempts\":[{}]}]", 1, 33,
         "submitted_time is \"x\""},
        {"philly", "[] x", 1, 4, "expected the end of the text"},
        {"philly-csv", "timestamp,duration\n", 1, 1, "no column \"num_gpus\""},
        {"philly-csv", "timestamp,duration,num_gpus\n2017-13-01 00:00:00,1,1\n", 2, 1,
         "timestamp is \"2017-13-01 00:00:00\""},
        {"philly-csv", "timestamp,duration,num_gpus\n2017-12-01 00:00:00,-5,1\n", 2, 21,
         "duration is \"-5\""},
        {"philly-csv", "timestamp,duration,num_gpus\n2017-12-01 00:00:00,5\n", 2, 1,
         "the line has 2 cells"},
        {"swf", "1 2 3\n", 1, 1, "expected 18 numbers"},
        {"swf", "1 0 0 x 2 -1 -1 2 -1 -1 1 1 1 1 1 1 -1 -1\n", 1, 7, "run time is \"x\""},
        {"pai-2020", "a,b,c\n", 1, 1, "6 of a job, 10 of a task or 9 of an instance"},
        {"gavel", "a\tb\n", 1, 1, "2 cells, expected 6, 7 or 10"},
        {"slurm",
         "JobID|Submit|Start|End|State|Timelimit\n1|2024-01-01T00:00:00|"
         "2024-01-01T00:00:00|2024-01-01T00:00:01|COMPLETED|9x\n",
         2, 73, "Timelimit is \"9x\""},
        {"slurm", "JobID;Submit;Start;End;State\n", 1, 1,
         "have \";\" between them, expected \"|\""},
        {"philly-csv", "\xff\xfet", 1, 1, "the text is UTF-16, expected a table in UTF-8"},
        {"csv", "a,b\n", 0, 0, "the format csv needs it"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        problems = problems_create(arena);
        ck_assert(!run_texts(bad[i].format, &no_choices, (const char *const[]){bad[i].log, NULL}));
        const Status *status = &problems.items[0];
        ck_assert_msg(strstr(status->message, bad[i].message) != NULL, "%s", status->message);
        ck_assert_msg(status->at.line == bad[i].line && status->at.column == bad[i].column,
                      "%s: %d:%d", status->message, status->at.line, status->at.column);
        ck_assert_int_eq(status->code, STATUS_BAD_INPUT);
    }
}
END_TEST

START_TEST(options_with_mistakes_are_named)
{
    static const struct {
        ImportChoices choices;
        const char *source;
    } bad[] = {
        {{.window = "1d"}, "--window"},
        {{.window = "1d..2017-10-01"}, "--window"},
        {{.window = "2d..1d"}, "--window"},
        {{.timezone = "Mars"}, "--timezone"},
        {{.thin = "1.5"}, "--thin"},
        {{.scale_load = "0"}, "--scale-load"},
        {{.requested = "twice"}, "--requested"},
        {{.requested = "run*3..2"}, "--requested"},
        {{.clamp_run = "2s..1s"}, "--clamp-run"},
        {{.separator = "ab"}, "--separator"},
        {{.columns = "submit=a,run=b:parsec,gpus=c"}, "--columns"},
        {{.columns = "submit=a,gpus=c"}, "--columns"},
        {{.columns = "submit=a,submit=b,run=r,gpus=c"}, "--columns"},
        {{.columns = "colour=a"}, "--columns"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        problems = problems_create(arena);
        ck_assert(
            !run_texts("csv", &bad[i].choices, (const char *const[]){"a,b,c\n1,2,3\n", NULL}));
        ck_assert_str_eq(problems.items[0].at.source, bad[i].source);
    }
}
END_TEST

START_TEST(malformed_rows_can_be_dropped)
{
    const ImportChoices choices = {.skips_malformed = true};
    import_text("philly-csv", &choices,
                "timestamp,duration,num_gpus\n2017-12-01 00:00:00,5,1\nx,1,1\n2017-12-01,\"5\n");
    ck_assert_int_eq(import.selection.list.count, 1);
    ck_assert_int_eq(count_of(RULE_MALFORMED), 2);
    ck_assert_int_eq(import.log.counts[RULE_MALFORMED].first.line, 3);
}
END_TEST

START_TEST(an_import_without_jobs_is_refused)
{
    ck_assert(!run_texts("philly", &no_choices, (const char *const[]){"[]", NULL}));
    ck_assert(strstr(problems.items[0].message, "no job") != NULL);
    // A log of Slurm without AllocTRES and ReqTRES states no GPUs.
    problems = problems_create(arena);
    ck_assert(
        !run_texts("slurm", &no_choices,
                   (const char *const[]){
                       "JobID|Submit|Start|End|State\n"
                       "1|2024-03-30T10:00:00|2024-03-30T10:05:00|2024-03-30T10:06:00|FAILED\n"
                       "2|2024-03-30T10:00:00|None|2024-03-30T10:06:00|CANCELLED\n"
                       "3|2024-03-30T10:00:00|2024-03-30T10:05:00|2024-03-30T10:06:00|FAILED\n",
                       NULL}));
    ck_assert_str_eq(problems.items[0].hint,
                     "2 of 3 rows: ask for no GPU (--cpu-jobs keep keeps them)");
}
END_TEST

START_TEST(the_sidecar_has_sources_options_and_counts)
{
    const ImportChoices choices = {.clamp_run = "1s.."};
    import_text("acme", &choices, KALOS);
    const Json *sidecar = import_sidecar(arena, &import);
    char digest[SHA256_TEXT];
    sha256_text(KALOS, strlen(KALOS), digest);
    ck_assert_str_eq(json_find(sidecar, "/sources/0/sha256")->text, digest);
    ck_assert_str_eq(json_find(sidecar, "/options/clamp-run")->text, "1s..");
    ck_assert_str_eq(json_find(sidecar, "/mended/0/rule")->text, "DURATION");
    ck_assert_int_eq(json_find(sidecar, "/mended/0/count")->integer, 1);
    ck_assert_int_eq(json_find(sidecar, "/mended/0/first_line")->integer, 2);
    ck_assert_int_eq(json_find(sidecar, "/jobs")->integer, 1);
    ck_assert_str_eq(json_find(sidecar, "/time_0")->text, "2023-05-17T19:00:58+08:00");
}
END_TEST

Suite *test_suite(void)
{
    TCase *cases = tcase_create("import");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, every_peculiarity_of_generated_logs_is_counted);
    tcase_add_test(cases, the_tables_of_pai_2020_are_joined);
    tcase_add_test(cases, attempts_of_philly_are_added_split_or_the_last_counts);
    tcase_add_test(cases, philly_and_its_derived_table_agree);
    tcase_add_test(cases, a_night_in_which_the_clocks_change_has_its_true_length);
    tcase_add_test(cases, helios_is_read_in_the_time_of_china);
    tcase_add_test(cases, acme_has_two_layouts_with_different_offsets);
    tcase_add_test(cases, per_cent_of_a_gpu_are_not_gpus);
    tcase_add_test(cases, cells_may_have_the_units_of_kubernetes);
    tcase_add_test(cases, swf_of_hpc2n_waits_and_runs);
    tcase_add_test(cases, swf_submissions_may_be_absolute);
    tcase_add_test(cases, swf_jobs_follow_others_after_a_think_time);
    tcase_add_test(cases, gavel_has_three_generations_of_columns);
    tcase_add_test(cases, sia_needs_run_times_and_tiresias_has_them);
    tcase_add_test(cases, slurm_knows_resources_limits_and_states);
    tcase_add_test(cases, a_job_that_had_not_ended_has_its_time_until_then);
    tcase_add_test(cases, attempts_before_one_that_had_not_ended_count_too);
    tcase_add_test(cases, states_say_which_jobs_of_a_table_had_not_ended);
    tcase_add_test(cases, dates_that_are_not_set_and_expected_ends_are_not_ends);
    tcase_add_test(cases, the_demand_lacks_about_what_jobs_that_had_not_ended_have_so_far);
    tcase_add_test(cases, a_job_in_the_files_of_two_months_is_one_job);
    tcase_add_test(cases, time_in_which_a_job_of_slurm_was_suspended_is_not_run_time);
    tcase_add_test(cases, compressed_files_are_named);
    tcase_add_test(cases, a_list_without_the_short_jobs_of_its_begin_and_a_gap_are_noted);
    tcase_add_test(cases, rows_are_sorted_by_submission_then_by_their_order);
    tcase_add_test(cases, windows_are_dates_or_durations);
    tcase_add_test(cases, queues_run_times_load_and_requests_can_be_changed);
    tcase_add_test(cases, only_completed_jobs_can_be_taken);
    tcase_add_test(cases, gpu_types_are_renamed);
    tcase_add_test(cases, a_table_may_state_speeds_on_kinds_of_nodes);
    tcase_add_test(cases, gpu_types_are_renamed_in_lists_and_in_speeds);
    tcase_add_test(cases, thinning_drops_jobs_by_their_place_in_the_log);
    tcase_add_test(cases, requests_are_drawn_between_two_factors);
    tcase_add_test(cases, queues_get_names_that_clusters_may_have);
    tcase_add_test(cases, jobs_without_a_name_get_one_if_others_have_names);
    tcase_add_test(cases, repeated_names_get_a_number);
    tcase_add_test(cases, mistakes_have_their_place);
    tcase_add_test(cases, options_with_mistakes_are_named);
    tcase_add_test(cases, malformed_rows_can_be_dropped);
    tcase_add_test(cases, an_import_without_jobs_is_refused);
    tcase_add_test(cases, the_sidecar_has_sources_options_and_counts);
    Suite *suite = suite_create("import");
    suite_add_tcase(suite, cases);
    return suite;
}

#include "tests/support/trace_logs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/civil_time.h"
#include "sim/base/philox.h"

enum { STAMP = 40, HOUR_S = 3600, CYCLE = 40 };

/* A number below `below`, by job and purpose. */
static int32_t draw(int32_t job, uint32_t purpose, int32_t below)
{
    const PhiloxBlock counter = {{(uint32_t)job, purpose, 0, 0}};
    return (int32_t)(philox(11, counter).word[0] % (uint32_t)below);
}

/* "2017-10-07 01:11:39", the separator being ' ' or 'T'. */
static const char *stamp(int64_t local_s, char separator, char *out)
{
    const CivilTime t = civil_from_unix_ms(local_s * 1000);
    const int32_t parts[] = {t.year, t.month, t.day, t.hour, t.minute, t.second};
    char *end = out;
    for (int32_t i = 0; i < 6; i++) {
        end = digits_print(end, parts[i], i == 0 ? 4 : 2);
        *end++ = "--s::"[i < 5 ? i : 0];
        if (i == 2)
            end[-1] = separator;
    }
    end[-1] = '\0';
    return out;
}

/* Which peculiarity a job has: one each in a cycle of CYCLE jobs, the rest are plain. */
static int32_t kind_of(int32_t job)
{
    return job % CYCLE;
}

static int64_t begin_s(int32_t year, int32_t month, int32_t day)
{
    return civil_to_unix_ms((CivilTime){.year = year, .month = month, .day = day}) / 1000;
}

/* --- philly --- */

static void philly_attempt(Text *out, const char *start, const char *end, int32_t gpus)
{
    text_printf(out, "{\"start_time\": %s, \"end_time\": %s, \"detail\": [", start, end);
    for (int32_t machine = 0; gpus > 0; machine++) {
        text_printf(out, "%s{\"ip\": \"m%d\", \"gpus\": [", machine > 0 ? ", " : "", machine + 40);
        for (int32_t i = 0; i < 8 && gpus > 0; i++, gpus--)
            text_printf(out, "%s\"gpu%d\"", i > 0 ? ", " : "", i);
        text_add(out, "]}");
    }
    text_add(out, "]}");
}

static const char *quoted(int64_t local_s, char out[STAMP])
{
    out[0] = '"';
    stamp(local_s, ' ', out + 1);
    strcat(out, "\"");
    return out;
}

/* The attempts of a job that was submitted at `s`, all before the change of clocks. */
static void philly_attempts(Text *out, int32_t job, int64_t s, TraceLogFacts *facts)
{
    char start[STAMP], end[STAMP];
    const int32_t gpus = 1 + draw(job, 2, 12);
    const int64_t run_s = 60 + draw(job, 3, 4000);
    quoted(s + 30, start);
    quoted(s + 30 + run_s, end);
    facts->jobs++;
    switch (kind_of(job)) {
    case 1: // never ran
        facts->counts[RULE_NO_ATTEMPT]++;
        facts->jobs--;
        break;
    case 2: // two attempts
        philly_attempt(out, start, end, gpus);
        text_add(out, ", ");
        philly_attempt(out, quoted(s + 60 + run_s, start), quoted(s + 90 + run_s, end), gpus);
        break;
    case 3: // an attempt of another size
        philly_attempt(out, start, end, gpus);
        text_add(out, ", ");
        philly_attempt(out, quoted(s + 60 + run_s, start), quoted(s + 90 + run_s, end), gpus + 1);
        facts->counts[RULE_ATTEMPT_SIZE]++;
        break;
    case 4: // still running
        philly_attempt(out, start, "null", gpus);
        facts->counts[RULE_NO_END]++;
        break;
    case 5: // an attempt without an end, then a whole one
        philly_attempt(out, start, "\"None\"", gpus);
        text_add(out, ", ");
        philly_attempt(out, quoted(s + 60 + run_s, start), quoted(s + 90 + run_s, end), gpus);
        facts->counts[RULE_ATTEMPT_UNTIMED]++;
        break;
    case 6: // the only attempt has no start
        philly_attempt(out, "\"\"", "null", gpus);
        facts->counts[RULE_ATTEMPT_UNTIMED]++;
        facts->counts[RULE_NO_START]++;
        facts->jobs--;
        break;
    case 7: // GPUs unknown
        philly_attempt(out, start, end, 0);
        facts->counts[RULE_NO_SIZE]++;
        facts->jobs--;
        break;
    case 8: // backwards
        philly_attempt(out, end, start, gpus);
        facts->counts[RULE_ATTEMPT_BACKWARDS]++;
        facts->counts[RULE_NO_START]++;
        facts->jobs--;
        break;
    default:
        philly_attempt(out, start, end, gpus);
    }
}

void trace_log_philly(Text *out, int32_t jobs, TraceLogFacts *facts)
{
    static const char *const states[] = {"Pass", "Killed", "Failed"};
    *facts = (TraceLogFacts){0};
    text_add(out, "[");
    for (int32_t i = 0; i < jobs; i++) {
        char submitted[STAMP];
        const int64_t s = begin_s(2017, 8, 7) + (int64_t)i * 60; // not yet November
        text_printf(out,
                    "%s\n{\"status\": \"%s\", \"vc\": \"vc%d\", \"jobid\": \"application_%d\", ",
                    i > 0 ? "," : "", states[draw(i, 1, 3)], draw(i, 4, 3), i);
        text_add(out, "\"attempts\": [");
        philly_attempts(out, i, s, facts);
        text_printf(out, "], \"submitted_time\": %s, \"user\": \"u%d\"}", quoted(s, submitted),
                    draw(i, 5, 40));
    }
    text_add(out, "\n]\n");
}

/* --- philly-csv --- */

/* Rows are not sorted, and every CYCLEth is there twice. */
void trace_log_philly_csv(Text *out, int32_t jobs, TraceLogFacts *facts)
{
    *facts = (TraceLogFacts){.jobs = jobs};
    text_add(out, "timestamp,duration,num_gpus,gpu_time,cluster\n");
    for (int32_t i = 0; i < jobs; i++) {
        const bool repeats = kind_of(i) == 1;
        const int32_t job = repeats ? i - 1 : i;
        const int32_t run_s = 1 + draw(job, 1, 100000), gpus = 1 + draw(job, 2, 8);
        // Pairs of rows are exchanged; the repeated row and its original stay in order.
        const int32_t place = repeats || kind_of(i) == 0 ? job : job ^ 2;
        char text[STAMP];
        text_printf(out, "%s,%d.0,%d,%" PRId64 ".0,vc%d\n",
                    stamp(begin_s(2017, 9, 4) + (int64_t)place * 61, ' ', text), run_s, gpus,
                    (int64_t)run_s * gpus, draw(job, 3, 3));
        facts->counts[RULE_DUPLICATE] += repeats;
    }
}

/* --- helios, acme --- */

/* Times of a job and its words, as both layouts have them. */
typedef struct {
    const char *state;
    int32_t gpus, nodes;
    int64_t submit_s, start_s, end_s, run_s, wait_s; /* run and wait as the log states them */
    bool never_started;
} Row;

static Row row_of(int32_t job, TraceLogFacts *facts)
{
    static const char *const ends[] = {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL"};
    const int64_t submit_s = begin_s(2020, 4, 1) + (int64_t)job * 77;
    Row row = {.state = ends[draw(job, 1, 5)],
               .gpus = 1 + draw(job, 2, 16),
               .submit_s = submit_s,
               .start_s = submit_s + draw(job, 3, 500)};
    row.nodes = (row.gpus + 7) / 8;
    row.end_s = row.start_s + 2 + draw(job, 4, 50000);
    row.run_s = row.end_s - row.start_s;
    row.wait_s = row.start_s - row.submit_s;
    facts->jobs++;
    switch (kind_of(job)) {
    case 1:
        row.gpus = 0;
        facts->counts[RULE_NO_GPU]++;
        facts->jobs--;
        break;
    case 2:
        row.state = "SUSPENDED";
        facts->counts[RULE_NO_END]++; // with the end that it states
        break;
    case 3:
        row.never_started = true;
        row.state = "CANCELLED";
        facts->counts[RULE_NO_START]++;
        facts->jobs--;
        break;
    case 4:
        row.run_s += 100;
        facts->counts[RULE_DURATION]++;
        break;
    case 5:
        row.wait_s += 100;
        facts->counts[RULE_WAIT]++;
        break;
    case 6:
        row.end_s = row.start_s;
        row.run_s = 0;
        facts->counts[RULE_ZERO_RUN]++;
        break;
    default:
        break;
    }
    return row;
}

static const char *start_of(const Row *row, const char *offset, char out[STAMP])
{
    stamp(row->start_s, ' ', out);
    strcat(out, offset);
    if (row->never_started)
        out[0] = '\0';
    return out;
}

void trace_log_helios(Text *out, int32_t jobs, TraceLogFacts *facts)
{
    *facts = (TraceLogFacts){0};
    text_add(out, "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,"
                  "duration,queue\n");
    for (int32_t i = 0; i < jobs; i++) {
        const Row row = row_of(i, facts);
        char submit[STAMP], start[STAMP], end[STAMP];
        text_printf(out, "%d,u%d,vc%d,%d,%d,%d,%s,%s,%s,%s,%" PRId64 ",%" PRId64 "\n", 1425511 + i,
                    draw(i, 5, 30), draw(i, 6, 4), row.gpus, 4 * row.gpus, row.nodes, row.state,
                    stamp(row.submit_s, ' ', submit), start_of(&row, "", start),
                    stamp(row.end_s, ' ', end), row.run_s, row.wait_s);
    }
}

void trace_log_acme_seren(Text *out, int32_t jobs, TraceLogFacts *facts)
{
    *facts = (TraceLogFacts){0};
    text_add(out, "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,"
                  "duration,queue,gpu_time\n");
    for (int32_t i = 0; i < jobs; i++) {
        const Row row = row_of(i, facts);
        char submit[STAMP], start[STAMP], end[STAMP];
        text_printf(out,
                    "%d,u%d,%d,%d,%d,Other,%s,%s+08:00,%s,%s+08:00,%" PRId64 ",%" PRId64 ",%" PRId64
                    ".0\n",
                    5778432 + i, draw(i, 5, 30), row.nodes, row.gpus, 16 * row.gpus, row.state,
                    stamp(row.submit_s, ' ', submit), start_of(&row, "+08:00", start),
                    stamp(row.end_s, ' ', end), row.run_s, row.wait_s, row.run_s * row.gpus);
    }
}

/* Here "duration" is end - submission, so that it differs whenever a job waited. */
void trace_log_acme_kalos(Text *out, int32_t jobs, TraceLogFacts *facts)
{
    *facts = (TraceLogFacts){0};
    text_add(out, "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,"
                  "state,submit_time,start_time,end_time,fail_time,stop_time,duration,queue,"
                  "gpu_time\n");
    for (int32_t i = 0; i < jobs; i++) {
        Row row = row_of(i, facts);
        char submit[STAMP], start[STAMP], end[STAMP];
        if (kind_of(i) == 4)
            facts->counts[RULE_DURATION]--;
        row.run_s = row.end_s - row.submit_s;
        const bool is_job = kind_of(i) != 2 && kind_of(i) != 3; // 2 has not ended
        facts->counts[RULE_DURATION] += is_job && row.start_s - row.submit_s > 1;
        stamp(row.end_s, ' ', end);
        text_printf(out,
                    "dlc%d,u%d,%d,%d,%d,1000,100.0,Other,%s,%s+00:00,%s,%s+00:00,%s+00:00,,%" PRId64
                    ",%" PRId64 ".0,1.0\n",
                    i, draw(i, 5, 30), row.nodes, row.gpus, 16 * row.gpus, row.state,
                    stamp(row.submit_s, ' ', submit), start_of(&row, "+00:00", start), end, end,
                    row.run_s, row.wait_s);
    }
}

/* --- pai --- */

void trace_log_pai2020(Text *job_table, Text *task_table, Text *instance_table, int32_t jobs,
                       TraceLogFacts *facts)
{
    *facts = (TraceLogFacts){.jobs = jobs};
    for (int32_t i = 0; i < jobs; i++) {
        const int64_t submit_s = 494319 + (int64_t)i * 97, start_s = submit_s + draw(i, 1, 900);
        const int64_t end_s = start_s + 10 + draw(i, 2, 9000);
        const int32_t kind = kind_of(i);
        const bool ends = kind != 1, has_tasks = kind != 2, has_gpu = kind != 3;
        const bool is_half = kind == 4, has_server = kind == 5;
        text_printf(job_table, "job%d,inst%d,user%d,%s,%" PRId64 ".0,", i, i, draw(i, 3, 20),
                    ends ? "Terminated" : "Running", submit_s);
        if (ends)
            text_printf(job_table, "%" PRId64 ".0", end_s);
        text_add(job_table, "\n");
        facts->counts[RULE_NO_END] += !ends;
        facts->counts[RULE_NO_SIZE] += !has_tasks;
        facts->counts[RULE_NO_GPU] += !has_gpu;
        facts->counts[RULE_GPU_PART] += is_half;
        facts->counts[RULE_UNLIKE] += has_server;
        facts->jobs -= !has_tasks + !has_gpu;
        if (!has_tasks)
            continue;
        text_printf(task_table, "job%d,worker,%d,%s,%" PRId64 ".0,", i, is_half ? 3 : 2,
                    ends ? "Terminated" : "Running", start_s);
        if (ends)
            text_printf(task_table, "%" PRId64 ".0", end_s);
        text_printf(task_table, ",600.0,29.296875,%s,%s\n",
                    !has_gpu  ? ""
                    : is_half ? "50.0"
                              : "100.0",
                    has_gpu ? "MISC" : "");
        if (has_server)
            text_printf(task_table,
                        "job%d,ps,1,Terminated,%" PRId64 ".0,%" PRId64 ".0,400.0,10.0,,\n", i,
                        start_s, end_s);
        if (ends) // the instances begin 5 s after the task
            text_printf(instance_table,
                        "job%d,worker,a%d,w%d,inst%d,Terminated,%" PRId64 ".0,%" PRId64
                        ".0,machine%d\n",
                        i, i, i, i, start_s + 5, end_s, draw(i, 4, 9));
    }
}

void trace_log_pai2023(Text *out, int32_t jobs, TraceLogFacts *facts)
{
    *facts = (TraceLogFacts){.jobs = jobs};
    text_add(out, "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,"
                  "creation_time,deletion_time,scheduled_time\n");
    for (int32_t i = 0; i < jobs; i++) {
        const int32_t kind = kind_of(i), created = i * 50, scheduled = created + draw(i, 1, 60);
        const bool is_part = kind == 1, has_gpu = kind != 2, is_scheduled = kind != 3;
        const bool has_types = kind == 4, has_half_core = kind == 5;
        text_printf(out, "openb-pod-%04d,%d,30517,%d,%d,%s,LS,Succeeded,%d,%d,", i,
                    has_half_core ? 11400 : 12000, has_gpu,
                    !has_gpu  ? 0
                    : is_part ? 460
                              : 1000,
                    has_types ? "V100M16|V100M32" : "", created, scheduled + 100 + draw(i, 2, 900));
        if (is_scheduled)
            text_printf(out, "%d", scheduled);
        text_add(out, "\n");
        facts->counts[RULE_GPU_PART] += is_part;
        facts->counts[RULE_CPU_PART] += has_half_core;
        facts->counts[RULE_NO_GPU] += !has_gpu;
        facts->counts[RULE_NO_START] += !is_scheduled;
        facts->counts[RULE_SEVERAL_TYPES] += has_types;
        facts->jobs -= !has_gpu + !is_scheduled;
    }
}

/* --- swf --- */

static void swf_line(Text *out, int32_t job, int32_t submit_s, const char *run, int32_t got,
                     int32_t asked, int32_t limit_s, int32_t status, const char *rest)
{
    text_printf(out, "%5d %7d   12 %s %d -1 -1 %d %d -1 %d 3 1 -1 2 -1 %s\n", job, submit_s, run,
                got, asked, limit_s, status, rest);
}

void trace_log_swf(Text *out, int32_t jobs, TraceLogFacts *facts)
{
    *facts = (TraceLogFacts){.jobs = jobs};
    text_add(out, "; Version: 2.2\n; MaxProcs: 240\n; UnixStartTime: 1027839845\n"
                  "; TimeZoneString: Europe/Helsinki\n;\n");
    for (int32_t i = 1; i <= jobs; i++) {
        const int32_t submit_s = i * 30, got = 1 + draw(i, 1, 60);
        char run[24];
        snprintf(run, sizeof run, "%d", 1 + draw(i, 2, 5000));
        facts->counts[RULE_AS_GPUS]++;
        switch (kind_of(i)) {
        case 1: // run 0 is legal
            swf_line(out, i, submit_s, "0", got, got, 7200, 1, "-1 -1");
            facts->counts[RULE_ZERO_RUN]++;
            break;
        case 2: // decimals
            swf_line(out, i, submit_s, "552.21", got, got, 7200, 1, "-1 -1");
            break;
        case 3: // unknown run time
            swf_line(out, i, submit_s, "-1", got, got, 7200, 0, "-1 -1");
            facts->counts[RULE_NO_RUN]++;
            facts->counts[RULE_AS_GPUS]--;
            facts->jobs--;
            break;
        case 4: // cancelled in the queue
            swf_line(out, i, submit_s, "0", got, got, 7200, 5, "-1 -1");
            facts->counts[RULE_NO_START]++;
            facts->counts[RULE_AS_GPUS]--;
            facts->jobs--;
            break;
        case 5: // other processors than asked for
            swf_line(out, i, submit_s, run, got + 1, got, 7200, 1, "-1 -1");
            facts->counts[RULE_SIZE_DIFFERS]++;
            break;
        case 6: // longer than asked for
            swf_line(out, i, submit_s, "5000", got, got, 60, 1, "-1 -1");
            facts->counts[RULE_RAN_LONGER]++;
            break;
        case 7: // the whole, then its parts
            swf_line(out, i, submit_s, run, got, got, 7200, 1, "-1 -1");
            swf_line(out, i, -1, "10", got, got, 7200, 2, "-1 -1");
            swf_line(out, i, -1, "20", got, got, 7200, 3, "-1 -1");
            facts->counts[RULE_PART] += 2;
            break;
        case 8: // parts without the whole
            swf_line(out, i, submit_s, "10", got, got, 7200, 2, "-1 -1");
            swf_line(out, i, -1, "20", got, got, 7200, 3, "-1 -1");
            facts->counts[RULE_JOINED]++;
            break;
        case 9: // after the previous job, with a think time
            swf_line(out, i, submit_s, run, got, got, 7200, 1, "1 60");
            break;
        case 10: // after a job that the log does not have
            swf_line(out, i, submit_s, run, got, got, 7200, 1, "999999 60");
            facts->counts[RULE_NO_LEADER]++;
            break;
        case 11: // 21 fields
            swf_line(out, i, submit_s, run, got, got, 7200, 1,
                     "-1 -1 node1+node2 short infiniband");
            facts->counts[RULE_EXTRA_FIELDS]++;
            break;
        default:
            swf_line(out, i, submit_s, run, got, got, 7200, 1, "-1 -1");
        }
    }
}

/* --- slurm --- */

void trace_log_slurm(Text *out, int32_t jobs, TraceLogFacts *facts)
{
    *facts = (TraceLogFacts){.jobs = jobs};
    text_add(out, "JobID|User|Account|Partition|Submit|Start|End|Elapsed|State|AllocTRES|ReqTRES|"
                  "NNodes|NCPUS|Priority|Timelimit|TimelimitRaw\n");
    for (int32_t i = 0; i < jobs; i++) {
        const int32_t kind = kind_of(i), gpus = 1 + draw(i, 1, 8), run_s = 60 + draw(i, 2, 40000);
        const int64_t submit_s = begin_s(2024, 3, 20) + (int64_t)i * 300, start_s = submit_s + 60;
        char submit[STAMP], start[STAMP], end[STAMP], elapsed[32], resources[120];
        const int64_t end_s = start_s + run_s;
        snprintf(elapsed, sizeof elapsed, "%02d:%02d:%02d", run_s / HOUR_S, run_s / 60 % 60,
                 run_s % 60);
        const char *type = draw(i, 3, 2) == 0 ? "a100" : "v100";
        snprintf(resources, sizeof resources,
                 kind == 1   ? "billing=8,cpu=8,mem=64G,node=1"
                 : kind == 2 ? "billing=8,cpu=8,gres/gpu:%s=%d,mem=64G,node=1"
                             : "billing=8,cpu=8,gres/gpu:%s=%d,gres/gpu=%d,mem=64000M,node=1",
                 type, gpus, gpus);
        const char *state = kind == 3   ? "CANCELLED by 1000"
                            : kind == 4 ? "RUNNING"
                            : kind == 5 ? "PENDING"
                            : kind == 6 ? "TIMEOUT"
                            : kind == 7 ? "CANCELLED by 1000"
                                        : "COMPLETED";
        const bool never_started = kind == 3 || kind == 5, has_limit = kind != 4 && kind != 9;
        text_printf(out, kind == 8 ? "%d_4|" : "%d|", 1000 + i);
        stamp(submit_s, 'T', submit);
        stamp(start_s, 'T', start);
        stamp(end_s, 'T', end);
        text_printf(out, "user%d|acc|%s|%s|%s|%s|%s|%s|%s|%s|1|8|%d|%s|%s\n", draw(i, 4, 9),
                    draw(i, 5, 2) == 0 ? "gpu" : "long", submit, never_started ? "Unknown" : start,
                    kind == 4 || kind == 5 ? "Unknown" : end, never_started ? "00:00:00" : elapsed,
                    state, never_started ? "" : resources, never_started ? resources : "", 100 + i,
                    has_limit ? "1-00:00:00" : "UNLIMITED", has_limit ? "1440" : "UNLIMITED");
        if (!never_started) { // its steps
            text_printf(out, "%d.batch||acc||%s|%s|%s|%s|COMPLETED|cpu=8||1|8|||\n", 1000 + i,
                        submit, start, end, elapsed);
            facts->counts[RULE_STEP]++;
        }
        facts->counts[RULE_NO_GPU] += kind == 1;
        facts->counts[RULE_NO_START] += kind == 3;
        facts->counts[RULE_WAITING] += kind == 5;
        facts->counts[RULE_NO_END] += kind == 4;
        facts->jobs -= (kind == 1) + never_started;
    }
}

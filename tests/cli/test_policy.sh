#!/usr/bin/env bash
# run, sweep and plan --policy: a shared object chooses the next job; what it may answer, and files without a policy.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

# The header of the source tree, or with TRAINYARD_INCLUDE that of an installed package.
include=${TRAINYARD_INCLUDE:-$source_folder/sim/cloud/policy}
if ! command -v cc >/dev/null || ! starts_programs; then
    echo "skipped: no compiler for this machine's programs (Debian package: gcc)"
    exit 77
fi

# compiled NAME: makes NAME.so from stdin.
compiled()
{
    cat >"$1.c"
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror -O2 -shared -fPIC -I "$include" -o "$1.so" "$1.c"
}
compiled shortest <"$source_folder/scenarios/embed/shortest.c"
queue=$scenarios/scheduling/shortest # several jobs wait for one cluster
records_alone=(--no-share --no-timeline) # all that a comparison reads; the rest takes most of the time of a long run

example "the policy of scenarios/embed starts the jobs that trainyard's own policy starts"
for scenario in scheduling/{shortest,backfill,kinds,gpus,priorities,reclaim} studies/reclaim-wait; do
    name=${scenario#*/}
    "$TRAINYARD" run "$scenarios/$scenario" --set '/policy="shortest"' -o "own-$name" -q "${records_alone[@]}"
    trainyard run "$scenarios/$scenario" --policy ./shortest.so -o "outside-$name" -q "${records_alone[@]}"
    stderr_is_empty
    trainyard diff "own-$name" "outside-$name" --json
    holds has_json 'run["b"]["inputs"][0].startswith("file shortest.so ") and run["same"]'
done

example "another policy has another result, and both are the same twice"
trainyard run "$queue" --set '/policy="service"' -o service -q
trainyard diff service outside-shortest
exit_is 1
trainyard run "$queue" --policy shortest.so --check-determinism # without ./
stdout_has "A second run has the same"
stderr_is_empty

example "what a policy prints goes to stderr: stdout has trainyard's answer alone"
compiled loud <<'C'
#define _POSIX_C_SOURCE 200809L
#include <trainyard_policy.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void leave(void)
{
    printf("left\n");
}
__attribute__((constructor)) static void begin(void)
{
    printf("begins\n");
    atexit(leave);
}
__attribute__((destructor)) static void end(void)
{
    printf("ends\n");
}
TRAINYARD_POLICY(view)
{
    static int calls;
    printf("printed\n");
    if (calls++ == 0 && (write(STDOUT_FILENO, "written\n", 8) != 8 || system("echo by a child") != 0))
        return TRAINYARD_POLICY_NONE;
    return view->waiting_count > 0 && view->waiting[0].fits ? 0 : TRAINYARD_POLICY_NONE;
}
C
trainyard run "$queue" --policy ./loud.so --json
holds has_json 'run["jobs"]'
for line in begins written "by a child" printed left ends; do
    holds [ "$(grep -cxF "$line" stderr)" -ge 1 ]
    holds [ "$(grep -cxF "$line" stdout)" -eq 0 ]
done
trainyard run "$queue" --policy ./loud.so
holds [ -z "$(grep -E "^(begins|written|by a child|printed|left|ends)" stdout)" ]
stdout_has "Cost: "
{ "$TRAINYARD" run "$queue" --policy ./loud.so --json >/dev/full; } 2>stderr
status=$?
exit_is 3
stderr_has "standard output: writing failed"
"$TRAINYARD" run "$queue" --policy ./loud.so 2>/dev/null >&-
status=$?
exit_is 3
trainyard sweep "$scenarios/studies/policy-lab/scenario.json" --vary load=0.8,1.1 --metric queue_s.mean --seeds 4 --policy ./loud.so -j 3
exit_is 0
holds [ -z "$(grep -E "^(begins|written|by a child|printed|left|ends)" stdout)" ]
stderr_has "printed"
if command -v c++ >/dev/null; then
    cat >loud.cc <<'C'
#include <trainyard_policy.h>
#include <iostream>
TRAINYARD_POLICY(view)
{
    std::cout << "streamed" << std::endl;
    return view->waiting_count > 0 && view->waiting[0].fits ? 0 : TRAINYARD_POLICY_NONE;
}
C
    holds c++ -std=c++11 -shared -fPIC -I "$include" -o louder.so loud.cc
    trainyard run "$queue" --policy ./louder.so --json
    holds has_json 'run["jobs"]'
    stderr_has "streamed"
fi

example "a policy with a variable that outlives a call is not deterministic"
compiled counter <<'C'
#include <trainyard_policy.h>
static int64_t last_ns;
static int runs;
TRAINYARD_POLICY(view)
{
    runs += view->now_ns < last_ns;
    last_ns = view->now_ns;
    for (int32_t n = 0; n < view->waiting_count; n++) {
        const int32_t i = runs > 0 ? view->waiting_count - 1 - n : n;
        if (view->waiting[i].fits)
            return i;
    }
    return TRAINYARD_POLICY_NONE;
}
C
trainyard run "$queue" --policy ./counter.so --check-determinism
exit_is 1
stderr_has "record"

example "a policy that stops jobs does what trainyard's own does"
compiled urgent <<'C'
#include <trainyard_policy.h>
/* As priority-preemptive: the newest of the running jobs with a lower priority stops for the first that waits, if all of them together
 * have enough slots. */
TRAINYARD_POLICY(view)
{
    int64_t slots = view->free_slots;
    int32_t newest = -1;
    if (view->waiting_count == 0)
        return TRAINYARD_POLICY_NONE;
    if (view->waiting[0].fits)
        return 0;
    for (int32_t i = 0; i < view->running_count; i++) {
        const trainyard_running_job *job = &view->running[i];
        if (job->priority >= view->waiting[0].priority)
            continue;
        slots += job->slots;
        if (newest < 0 || job->started_ns > view->running[newest].started_ns ||
            (job->started_ns == view->running[newest].started_ns && job->number > view->running[newest].number))
            newest = i;
    }
    return newest >= 0 && slots >= view->waiting[0].slots ? TRAINYARD_POLICY_STOP(newest) : TRAINYARD_POLICY_NONE;
}
C
for scenario in priority-preemptive priorities srtf; do
    "$TRAINYARD" run "$scenarios/scheduling/$scenario" --set '/policy="priority-preemptive"' -o "own-$scenario" -q
    trainyard run "$scenarios/scheduling/$scenario" --policy ./urgent.so --check -o "outside-$scenario" -q
    stderr_is_empty
    trainyard diff "own-$scenario" "outside-$scenario" --json
    holds has_json 'run["same"]'
done
holds grep -q "preempted" outside-priority-preemptive/trace.tsv

example "a job that does not run cannot be stopped, nor one that starts now"
for answer in 'TRAINYARD_POLICY_STOP(7)' 'view->waiting[0].fits ? 0 : TRAINYARD_POLICY_STOP(0)' INT32_MIN; do
    compiled stopper <<C
#include <trainyard_policy.h>
TRAINYARD_POLICY(view)
{
    return view->waiting_count == 0 ? TRAINYARD_POLICY_NONE : $answer;
}
C
    trainyard run "$queue" --policy ./stopper.so -q
    exit_is 2
    stderr_has "the policy stopped job"
    stderr_has "hint: it returns an index of view->waiting with \"fits\""
done

example "a policy that starts no job: the jobs are unfinished"
compiled never <<'C'
#include <trainyard_policy.h>
TRAINYARD_POLICY(view)
{
    (void)view;
    return TRAINYARD_POLICY_NONE;
}
C
trainyard run small --policy ./never.so
exit_is 1
stdout_has "queued"

# answer | message
while IFS='|' read -r answer message; do
    example "the answer $answer"
    compiled wrong <<C
#include <trainyard_policy.h>
TRAINYARD_POLICY(view)
{
    return $answer;
}
C
    trainyard run "$queue" --policy ./wrong.so -o never
    exit_is 2
    stderr_has "./wrong.so: at "
    stderr_has "$message"
    stderr_has 'hint: it returns an index of view->waiting with "fits", TRAINYARD_POLICY_STOP of a running job, or TRAINYARD_POLICY_NONE'
    holds [ ! -e never/trace.tsv ]
done <<'TABLE'
view->waiting_count | the policy chose job 1, but 1 job waits, from 0
-2 - 0 * view->waiting_count | the policy stopped job 0, but 0 jobs run, from 0
view->waiting[view->waiting_count - 1].fits ? 99 : view->waiting_count - 1 | the policy chose job
TABLE

# A build with AddressSanitizer would exit where the signal ends the program.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_sigfpe=0:handle_abort=0
# crash | exit code | what the policy does
while IFS='|' read -r name number code; do
    example "a policy that ends the process is named: $name"
    compiled crash <<C
#define _XOPEN_SOURCE 700
#include <trainyard_policy.h>
#include <signal.h>
#include <stdlib.h>
static int deep(volatile int *n)
{
    volatile int here[1000] = {*n};
    return (*n)++ < 0 ? here[0] : deep(n) + here[0];
}
TRAINYARD_POLICY(view)
{
    volatile int zero = 0;
    if (view->running_count > 0)
        $code
    (void)deep, (void)zero;
    return view->waiting_count > 0 && view->waiting[0].fits ? 0 : TRAINYARD_POLICY_NONE;
}
C
    trainyard run "$queue" --policy ./crash.so -q
    exit_is "$number"
    stderr_has "./crash.so: the policy $name when it was asked for the next job at "
    stderr_has " s of simulated time"
    stderr_has "  hint: its code runs inside trainyard"
done <<'TABLE'
crashed with SIGSEGV|139|return deep(&zero);
crashed with SIGABRT|134|abort();
crashed with SIGFPE|136|raise(SIGFPE);
called exit()|2|exit(0);
TABLE
trainyard sweep "$scenarios/studies/policy-lab/scenario.json" --vary load=0.8,1.1 --metric queue_s.mean --seeds 4 --policy ./crash.so -j 2 -q
exit_is 2
stderr_has "./crash.so: the policy called exit() when"

example "a policy that crashes while it is loaded"
compiled early <<'C'
#include <trainyard_policy.h>
#include <stdlib.h>
__attribute__((constructor)) static void begin(void)
{
    abort();
}
TRAINYARD_POLICY(view)
{
    return view->waiting_count > 0 ? 0 : TRAINYARD_POLICY_NONE;
}
C
trainyard run "$queue" --policy ./early.so -q
exit_is 134
stderr_has "./early.so: the policy crashed with SIGABRT while it was loaded"

example "a second SIGINT ends a sweep whose policy never returns"
compiled endless <<'C'
#include <trainyard_policy.h>
TRAINYARD_POLICY(view)
{
    for (volatile int32_t n = view->waiting_count;; n++)
        continue;
}
C
env --default-signal=INT "$TRAINYARD" sweep "$scenarios/studies/policy-lab/scenario.json" --vary load=0.8,1.1 --metric queue_s.mean --policy ./endless.so \
    -j 2 -q -o endless &
child=$!
for _ in $(seq 100); do
    sleep 0.2
    kill -INT "$child" 2>/dev/null || break
done
kill -KILL "$child" 2>/dev/null # in case the test fails
wait "$child"
status=$?
exit_is 130

example "files without a policy"
trainyard run small --policy ./shortes.so
exit_is 2
stderr_begins './shortes.so: there is no such file'
stderr_has 'hint: did you mean "./shortest.so"?'
trainyard run small --policy fair-share
exit_is 2
stderr_begins 'fair-share: there is no such file'
stderr_has "hint: trainyard's own policies are set so: --set '/policy=\"fair-share\"'"
trainyard run small --policy small/job.json
exit_is 2
stderr_begins 'small/job.json: invalid ELF header' # the words of glibc's loader
trainyard run small --policy small
exit_is 2
stderr_begins 'small: is a folder, expected a file'
echo 'int x;' | compiled empty
trainyard run small --policy ./empty.so
exit_is 2
stderr_begins './empty.so: the shared object has no trainyard_policy_abi'
stderr_has "hint: TRAINYARD_POLICY(view) of trainyard_policy.h defines both names"
echo 'const unsigned trainyard_policy_abi = 1;' | compiled half
trainyard run small --policy ./half.so
exit_is 2
stderr_begins './half.so: the shared object has no trainyard_policy_choose'
sed -e 's/#define TRAINYARD_POLICY_ABI 1/#define TRAINYARD_POLICY_ABI 7/' "$include/trainyard_policy.h" >trainyard_policy.h
cc -std=c11 -shared -fPIC -I . -o newer.so shortest.c
trainyard run small --policy ./newer.so --json
exit_is 2
holds has_json 'run["problems"][0]["message"] == "the policy is made for version 7 of trainyard_policy.h, expected 1"'

example "the header is C++ too"
if command -v c++ >/dev/null; then
    cp shortest.c shortest.cc
    holds c++ -std=c++11 -Wall -Wextra -Werror -shared -fPIC -I "$include" -o cpp.so shortest.cc
    trainyard run "$queue" --policy ./cpp.so -o cpp -q
    stderr_is_empty
    trainyard diff cpp outside-shortest
    exit_is 0
fi

example "run --policy with --fork-at: the past is that of the policy from outside, the future of another"
poisson=$scenarios/workloads/poisson/scenario.json
trainyard run "$poisson" --set '/policy="shortest"' --set /workloads/0/rate=20/h --fork-at 3h --fork-policy service -o own-fork -q
trainyard run "$poisson" --policy ./shortest.so --set /workloads/0/rate=20/h --fork-at 3h --fork-policy service -o outside-fork --check-determinism -q
exit_is 0
trainyard diff own-fork outside-fork --json
holds has_json 'run["same"]'
trainyard run "$poisson" --policy ./shortest.so --set /workloads/0/rate=20/h --fork-at 3h --fork-seed 7 -o outside-fork -q
exit_is 0
trainyard run "$poisson" --set '/policy="shortest"' --set /workloads/0/rate=20/h --fork-at 3h --fork-seed 7 -o own-fork -q
trainyard diff own-fork outside-fork
exit_is 0

example "a sweep with a policy from outside has the results of trainyard's own policy, with any number of threads and shards"
lab=$scenarios/studies/policy-lab/scenario.json
study=("$lab" --vary "load=0.8,1.1" --seeds 4 --metric queue_s.mean -q)
"$TRAINYARD" sweep "${study[@]}" -o service-study
sed -e 's|"policy": "service"|"policy": "shortest"|' "$lab" >shortest-scenario.json
cp -r "$scenarios/catalog" .
trainyard sweep shortest-scenario.json "${study[@]:1}" -o own-study
stderr_is_empty
for threads in 1 3; do
    trainyard sweep "${study[@]}" --policy ./shortest.so -j "$threads" -o "outside-study-$threads"
    stderr_is_empty
    holds cmp own-study/results.csv "outside-study-$threads/results.csv"
    holds cmp own-study/points.csv "outside-study-$threads/points.csv"
done
holds cmp outside-study-1/study.json outside-study-3/study.json
holds [ "$(cmp -s service-study/results.csv own-study/results.csv; echo $?)" = 1 ]
for shard in 0 1; do
    trainyard sweep "${study[@]}" --policy ./shortest.so --shard "$shard/2" -o "part-$shard"
    exit_is 0
done
trainyard merge part-0 part-1 -o merged
exit_is 0
trainyard sweep "${study[@]}" --policy ./shortest.so -o merged
exit_is 0
holds cmp own-study/results.csv merged/results.csv
trainyard sweep "${study[@]}" --policy ./shortest.so --check-determinism -o checked
stderr_is_empty
holds cmp own-study/results.csv checked/results.csv
if [ -x "$(dirname "$TRAINYARD")/trainyard-study-mpi" ] && command -v mpirun >/dev/null; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 3 \
        "$TRAINYARD" sweep "${study[@]}" --policy ./shortest.so --check-determinism -o ranks >stdout 2>stderr
    status=$?
    exit_is 0
    holds cmp own-study/results.csv ranks/results.csv
    holds cmp outside-study-1/study.json ranks/study.json
fi

example "the folder of a sweep records its policy, and is not continued with another"
holds grep -q '"path": "./shortest.so"' outside-study-1/study.json
holds grep -q '"name": "shortest.so"' outside-study-1/study.json
sum=$(sed -n 's/.*"checksum": "\([0-9a-f]*\)".*/\1/p' outside-study-1/study.json)
holds [ ${#sum} = 16 ]
compiled first <<'C'
#include <trainyard_policy.h>
TRAINYARD_POLICY(view)
{
    return view->waiting_count > 0 && view->waiting[0].fits ? 0 : TRAINYARD_POLICY_NONE;
}
C
trainyard sweep "${study[@]}" --policy ./first.so -o outside-study-1
exit_is 2
stderr_has "policy \"$sum\" instead of "
trainyard sweep "${study[@]}" -o outside-study-1
exit_is 2
stderr_has "policy \"$sum\" instead of \"\""
cp shortest.so same.so
trainyard sweep "${study[@]}" --policy ./same.so -o outside-study-1
exit_is 0
trainyard show outside-study-3 1 2
stdout_has "--policy ./shortest.so"
holds bash -c "$(sed "s|^trainyard |'$TRAINYARD' |" stdout) --check-determinism -q"

example "a sweep compares a policy from outside with trainyard's own, seed by seed"
levels=service,shortest,backfill
lab_of=("$lab" --seeds 4 --metric queue_s.mean --baseline policy=service -q)
"$TRAINYARD" sweep "${lab_of[@]}" --vary "policy=/policy=$levels" -o own-levels
trainyard sweep "${lab_of[@]}" --vary "policy=/policy=${levels/shortest/outside}" --policy ./shortest.so -o levels
stderr_is_empty
holds cmp own-levels/results.csv <(sed 's/outside/shortest/' levels/results.csv)
holds cmp own-levels/points.csv <(sed 's/outside/shortest/' levels/points.csv)
for point in 0 1 2; do
    trainyard show levels "$point" 2
    exit_is 0
    cp stdout command
    holds [ "$(grep -c -e '--policy ./shortest.so' command)" = $((point == 1)) ]
    trainyard show own-levels "$point" 2
    (cd "$work" && bash -c "$(sed "s|^trainyard |'$TRAINYARD' |" command) -o outside-point -q ${records_alone[*]}" &&
        bash -c "$(sed "s|^trainyard |'$TRAINYARD' |" stdout) -o own-point -q ${records_alone[*]}")
    trainyard diff own-point outside-point --json
    holds has_json 'run["same"]'
    rm -rf own-point outside-point
done
trainyard report levels
exit_is 0
trainyard sweep "${lab_of[@]}" --vary policy=/policy=service,outside
exit_is 2
stderr_has 'the level "outside" of the policy is that of --policy, which is missing'
trainyard plan "$lab" --vary policy=/policy=service,outside --minimise queue_s.mean --policy ./shortest.so
exit_is 2
stderr_has "leave the policy out of the factors"

example "a policy of a study that varies, answers wrongly, or is not a function of its view"
trainyard sweep "$lab" --vary policy=/policy=service,shortest --metric queue_s.mean --policy ./shortest.so
exit_is 2
stderr_has "the study varies the policy, which --policy replaces"
stderr_has "hint: name it among the levels: --vary policy=/policy=service,backfill,outside"
compiled wrong <<'C'
#include <trainyard_policy.h>
TRAINYARD_POLICY(view)
{
    return view->waiting_count;
}
C
trainyard sweep "${study[@]}" --policy ./wrong.so -j 3 -o wrong-study
exit_is 2
stderr_has "./wrong.so: at "
stderr_has 'hint: it returns an index of view->waiting with "fits"'
holds [ "$(wc -l <wrong-study/results.csv)" = 1 ]
compiled unstable <<'C'
#include <trainyard_policy.h>
static unsigned calls;
TRAINYARD_POLICY(view)
{
    const int32_t first = view->waiting_count > 1 && ++calls % 3 == 0;
    return view->waiting_count > 0 && view->waiting[first].fits ? first : TRAINYARD_POLICY_NONE;
}
C
trainyard sweep "${study[@]}" --policy ./unstable.so --check-determinism -j 1
exit_is 2
stderr_has "./unstable.so: the run of point 0 with seed "
stderr_has "has another result when it is repeated"
trainyard sweep "${study[@]}" --policy ./none.so
exit_is 2
stderr_begins "./none.so: there is no such file"

example "a plan with a policy from outside"
plan=("$lab" --vary nodes=7..9 --slo 'queue_s.mean <= 36000' --minimise cost_usd.total --seeds 4 --budget 60 --sensitivity none)
cp shortest-scenario.json plan-scenario.json
trainyard plan plan-scenario.json "${plan[@]:1}" -o own-plan -j 2
own=$status
trainyard plan "${plan[@]}" --policy ./shortest.so -o outside-plan -j 2
exit_is "$own"
holds cmp own-plan/points.csv outside-plan/points.csv
holds cmp own-plan/plan.csv outside-plan/plan.csv
holds grep -q '"path": "./shortest.so"' outside-plan/study.json
holds [ -e outside-plan/worst/summary.json ]
holds grep -q 'shortest.so' outside-plan/worst/summary.json
trainyard plan "${plan[@]}" -o outside-plan
exit_is 2
stderr_has "policy \"$sum\" instead of \"\""
trainyard plan "${plan[@]}" --policy ./shortest.so --check-determinism --check outside-plan -q
exit_is "$own"
trainyard plan --check outside-plan
exit_is 2
stderr_has "the plan in DIR was made with options"

finish

#!/usr/bin/env bash
# trainyard run --check-determinism and --shuffle-ties: the same scenario gives the same results, however it is run.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

# Everything in a summary but the fingerprint, which is of the records in their order.
results()
{
    grep -v '"fingerprint"' "$1"
}

example "a run checked against a second one says so and ends as any run"
trainyard run small/scenario.json --check-determinism
exit_is 0
stdout_has "A second run has the same "
stderr_is_empty

example "checked in silence"
trainyard run small/scenario.json --check-determinism --quiet
exit_is 0
stdout_is_empty
trainyard run small/scenario.json --json
mv stdout plain.json
trainyard run small/scenario.json --check-determinism --json --check
exit_is 0
holds cmp plain.json stdout

example "the check writes the files of one run"
trainyard run small/scenario.json --quiet -o plain
trainyard run small/scenario.json --quiet -o checked --check-determinism
holds diff -r plain checked

example "a scenario that is not right is refused once"
trainyard run small/nowhere.json --check-determinism
exit_is 2
holds [ "$(wc -l <stderr)" -le 2 ]

example "a shuffle needs a number from 1 on"
trainyard run small/scenario.json --shuffle-ties 0
exit_is 2
stderr_has "shuffle-ties"

example "no scenario's results depend on the order of simultaneous events"
# The short run has one order of each scenario.
orders=(1 2 3)
[ -z "${TRAINYARD_EFFORT:-}" ] || orders=(1)
shuffled=0
while read -r scenario; do
    "$TRAINYARD" run "$scenario" --fidelity epoch --json >plain.json
    for seed in "${orders[@]}"; do
        trainyard run "$scenario" --fidelity epoch --json --check --shuffle-ties "$seed"
        holds diff <(results plain.json) <(results stdout)
        cmp -s plain.json stdout || shuffled=$((shuffled + 1))
    done
done < <(find "$scenarios" -name scenario.json | LC_ALL=C sort)
# Otherwise nothing was shuffled and nothing shown.
holds [ "$shuffled" -gt 0 ]

finish

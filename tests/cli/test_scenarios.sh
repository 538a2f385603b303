#!/usr/bin/env bash
# scenarios/README.md: a row for every scenario, with its question and a key, both as the run's summary has them (the golden, which the test
# `golden` compares with a run).
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

# Prints "NAME<tab>QUESTION<tab>KEY" for each row of the tables.
rows_of_readme()
{
    /usr/bin/python3 - "$scenarios/README.md" <<'PYTHON'
import re, sys
for line in open(sys.argv[1]):
    row = re.fullmatch(r"\| \[(\S+)\]\((\S+)/scenario\.json\) \| (.*) \| (.*) \| `(\S+)` \|\n", line)
    if row:
        assert row[1] == row[2], line
        print(row[1], row[3], row[5], sep="\t")
PYTHON
}

example "every scenario has its row, and every row its scenario"
rows_of_readme >rows
(cd "$scenarios" && find . -name scenario.json | sed 's#^\./##; s#/scenario\.json$##' | LC_ALL=C sort) >shipped
cut -f 1 rows | LC_ALL=C sort >listed
diff shipped listed >stdout 2>stderr
status=$?
exit_is 0

while IFS=$'\t' read -r name question key; do
    example "$name: its summary has the question and the key"
    /usr/bin/python3 - "$question" "$key" "$source_folder/tests/golden/$name/summary.json" >answer 2>stderr <<'PYTHON'
import json, sys
question, key, summary = sys.argv[1:]
value = json.load(open(summary))
assert value["description"] == question, value["description"]
for part in key.split("."):
    value = value[part]
assert isinstance(value, (int, float)), value
PYTHON
    status=$?
    exit_is 0
done <rows

example "the comparisons of one line run"
sed -n 's/^| [^|]* | `trainyard \(\(sweep\|advise\) .*\)` |$/\1/p' "$scenarios/README.md" >comparisons
holds [ "$(wc -l <comparisons)" -ge 10 ]
ln -s "$scenarios" scenarios
while read -r comparison; do
    example "trainyard $comparison"
    eval "trainyard $comparison --seeds 2 -q"
    exit_is 0
done <comparisons

finish

#!/usr/bin/env bash
# trainyard serve and az-env as a user and a script start them. Requests to the emulator are tested in tests/emu.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
# shellcheck source=tests/cli/served.sh
source "$source_folder/tests/cli/served.sh"
needs curl

# ask PATH [OPTION-OF-CURL]...: body and status of a request to the Resource Manager, over TLS.
ask()
{
    local path=$1
    shift
    curl -sS --noproxy '*' --cacert "$(fact ca)" -w '\n%{http_code}\n' -H 'Authorization: Bearer secret-token' "$@" \
        "https://$(fact tls)/subscriptions/$(fact subscription)$path?api-version=2021-04-01" >stdout 2>stderr
    status=$?
}

example "serve prints the next steps, and its addresses for scripts"
holds serve
stdout_has "Azure Resource Manager is at https://$(fact tls)"
stdout_has "In a browser http://$(fact plain) is a dashboard."
stdout_has 'eval "$(trainyard az-env)"'
stdout_has "it is 2018-07-18T17:45:00Z"
holds [ "$(stat -c %a trainyard-state)" = 700 ]
holds [ "$(stat -c %a trainyard-state/tls-key.pem)" = 600 ]
holds cmp ready.json trainyard-state/serve.json

example "what was acknowledged is there after a kill"
ask /resourcegroups/kept -X PUT -d '{"location": "eastus"}'
stdout_has '201'
end KILL
trainyard az-env
exit_is 2
stderr_begins 'trainyard-state: no emulator serves this folder'
holds serve
ask /resourcegroups/kept
stdout_has '"name":"kept"'
stdout_has '200'

example "one state has one emulator"
trainyard serve --port 0 --plain-port 0
exit_is 2
stdout_is_empty
stderr_has trainyard-state

example "a port has one emulator"
trainyard serve --state other --plain-port "$(fact plain | sed 's/.*://')" --port 0
exit_is 2
stderr_has 'Address already in use'
stderr_has '--plain-port: listening on'
stderr_has '--port, --plain-port and --state'

example "a folder of data that is missing is named before the first job"
trainyard serve --state other --port 0 --plain-port 0 --real cpu --data nope
exit_is 2
stderr_has '--data: there is no folder "nope"'

example "az-env is what a shell evaluates"
trainyard az-env
exit_is 0
stderr_is_empty
holds bash -c 'eval "$(cat stdout)" && [ "$HTTPS_PROXY" = "http://'"$(fact plain)"'" ] && [ -r "$REQUESTS_CA_BUNDLE" ] &&
    [ -r "$NODE_EXTRA_CA_CERTS" ] && grep -q "core.windows.net" "$AZURE_CONFIG_DIR/clouds.config"'
holds [ "$(stat -c %a trainyard-state/az)" = 700 ]
holds /usr/bin/python3 -c 'import json; json.load(open("trainyard-state/az/azureProfile.json"))["subscriptions"][0]["tenantId"]'
trainyard az-env --no-proxy
holds bash -c 'unset HTTPS_PROXY; eval "$(cat stdout)" && [ -z "${HTTPS_PROXY:-}" ] &&
    grep -q "suffix_storage_endpoint = core.trainyard@'"$(fact userinfo)"'" "$AZURE_CONFIG_DIR/clouds.config"'
trainyard az-env --off
holds bash -c 'export AZURE_CONFIG_DIR=x https_proxy=y; eval "$(cat stdout)" && [ -z "${AZURE_CONFIG_DIR:-}${https_proxy:-}" ]'
trainyard az-env --shell fish
stdout_has "set -gx AZURE_CONFIG_DIR '"
trainyard az-env --shell powershell
stdout_has "\$env:AZURE_CONFIG_DIR = '"

example "az-env --check asks as az would"
trainyard az-env --check
exit_is 0
stdout_has "Azure Resource Manager at https://$(fact tls) answers."
stdout_has "Azure Files at https://trainyardcheck.file.core.windows.net answers."
trainyard az-env --check --no-proxy
exit_is 0
stdout_has "Azure Files at https://$(fact userinfo) answers."

example "settings of az are kept when the emulator comes back on other ports"
echo '[core]' >>trainyard-state/az/config
old=$(fact tls)
end TERM
exit_is 0
holds [ ! -e trainyard-state/serve.json ]
holds serve --verbose --no-proxy --clock x60
holds grep -q "https://$(fact tls)\$" trainyard-state/az/clouds.config
holds [ "$old" != "$(fact tls)" ]
holds grep -qF '[core]' trainyard-state/az/config
trainyard az-env --check
exit_is 2
stderr_has 'hint: --no-proxy does without it here too'

example "the log has a line for each request, and no secrets"
ask /resourcegroups/none
end INT
exit_is 0
holds grep -qE '^info request=GET path=/subscriptions/[-0-9a-f]+/resourcegroups/none status=404 sim=2018-[^ ]+ took_us=[0-9]+ operation="ResourceGroups_Get"$' log
holds [ "$(grep -c secret-token log)" = 0 ]

example "files alone, for a connection string"
holds serve --files --state files
stdout_has 'AccountName=devstoreaccount1;AccountKey='
ask /resourcegroups/none
stdout_has FilesOnly
trainyard az-env --state files --check
exit_is 0
end TERM

example "what is wrong is said before anything listens"
trainyard serve --clock x0
exit_is 2
stderr_begins 'trainyard: serve: --clock: "x0" is not a clock'
trainyard serve --listen 0.0.0.0 --port 0 --plain-port 0 --state open
exit_is 2
stderr_has '--i-know-this-is-not-secure allows it all the same'
trainyard serve --scenario nowhere.json --state new --port 0 --plain-port 0
exit_is 2
stderr_begins 'nowhere.json: there is no such file'
sed 's/"seed"/"sead"/' small/scenario.json >small/misspelt.json
trainyard serve --scenario small/misspelt.json --state new --port 0 --plain-port 0
exit_is 2
stderr_begins "$PWD/small/misspelt.json:4:3: unknown key \"sead\" in this scenario"

example "a start that fails makes nothing, and the next one begins anew"
holds serve --state taken
sed 's/"seed"/"api_faults": [{"status": 42}], "seed"/' small/scenario.json >small/faulty.json
for options in "--clock x0" "--listen 0.0.0.0" "--listen nowhere" "--plain-port $(fact plain | sed 's/.*://')" "--files --run-jobs" \
    "--scenario nowhere.json" "--scenario small/misspelt.json" "--scenario small/faulty.json" "--scenario small" \
    "--ready-file nowhere/ready.json" "--files --ready-file nowhere/ready.json"; do
    for state in new some/where/new there; do
        rm -rf there && mkdir there
        # shellcheck disable=SC2086 # several words
        trainyard serve --state "$state" --port 0 --plain-port 0 $options
        holds [ "$status" -ne 0 ]
        holds [ ! -e new ]
        holds [ ! -e some ]
        holds [ -z "$(ls -A there)" ]
    done
    ! grep -q 'Address already in use' stderr || end TERM
done
holds serve --state new --scenario small/scenario.json
holds [ ! -s log ]
stdout_has "it is 2018"
end TERM
cp -r new kept
trainyard serve --state new --port 0 --plain-port 0 --ready-file nowhere/ready.json
exit_is 3
stdout_is_empty # no addresses of an emulator that does not serve
holds cmp new/state.sqlite kept/state.sqlite
holds cmp new/ca.pem kept/ca.pem

example "the ready file is there while its emulator serves"
holds serve --state readied
"$TRAINYARD" serve --state another --port 0 --plain-port 0 --ready-file ready.json >/dev/null 2>&1 &
another=$!
until grep -q another ready.json; do sleep 0.02; done
end TERM
holds grep -q another ready.json
kill -9 "$another"
{ wait "$another"; } 2>/dev/null
holds [ -e ready.json ]
mkdir -p foreign/runs && echo weights >foreign/runs/best.pt
trainyard serve --state foreign --port 0 --plain-port 0 --ready-file ready.json
exit_is 2
holds [ ! -e ready.json ] # what a killed one leaves is removed before the state is read
echo mine >ready.json
trainyard serve --state foreign --port 0 --plain-port 0 --ready-file ready.json
holds [ "$(cat ready.json)" = mine ]
holds serve --state readied
end TERM
holds [ ! -e ready.json ]

example "a folder with files of another program is not a state folder"
mkdir -p project/runs/exp1
echo weights >project/runs/exp1/best.pt
trainyard serve --state project --port 0 --plain-port 0
exit_is 2
stderr_begins 'project: contains a "runs" that no emulator made'
stderr_has 'hint: it would be replaced: choose another folder for --state'
holds [ "$(find project -type f)" = project/runs/exp1/best.pt ]

example "a world of one's own to begin with, and a seed"
holds serve --state seeded --scenario small/scenario.json --seed 7 --json
holds cmp ready.json stdout
trainyard az-env --state 'seeded'
exit_is 0
end TERM
exit_is 0

example "parameters and changes of the scenario, which a state keeps"
sed 's/"seed": 7/"seed": 7, "parameters": {"nap": {"value": "10m"}}/; s/"duration": "10m"/"duration": "${nap}"/' small/scenario.json >small/nap.json
holds serve --state changed --scenario small/nap.json --param nap=20m --set /region=northeurope --seed 9
end TERM
trainyard export --state changed
exit_is 0
stdout_has '"duration": "20m"'
stdout_has '"region": "northeurope"'
stdout_has '"seed": 9'
holds serve --state changed
end TERM
trainyard export --state changed
stdout_has '"duration": "20m"'
holds serve --state changed --param nap=30m
end TERM
holds grep -q "this session began with other settings" log
trainyard serve --state wrong --scenario small/nap.json --param napp=1m --port 0 --plain-port 0
exit_is 2
stderr_has '--param napp=1m: unknown parameter "napp"'

example "a job whose command line nothing describes is accepted, unless the emulator is strict"
holds serve --state described --program '*/train.py*=sleep 20m; exit 3' --programs small/programs.json
curl -sS --noproxy '*' "http://$(fact plain)/trainyard/programs" >stdout
stdout_has '"script": "sleep 20m; exit 3"'
stdout_has '"match": "make *"'
end TERM
trainyard export --state described
holds [ "$(grep -c '"do": "program.set"' stdout)" = 2 ]
holds serve --state described --program '*/train.py*=sleep 20m; exit 3' --programs small/programs.json --strict
end TERM
trainyard export --state described
holds [ "$(grep -c '"do": "program.set"' stdout)" = 2 ] # they are set already
trainyard serve --state wrong --program 'sleep 5m' --port 0 --plain-port 0
exit_is 2
stderr_has '"sleep 5m" is not of the form GLOB=SCRIPT'
trainyard serve --state wrong --program 'x=python y' --port 0 --plain-port 0
exit_is 2
stderr_has 'unknown command "python"'
trainyard serve --state wrong --program '*/train.py*=echo begins; slep 20m' --port 0 --plain-port 0
exit_is 2
stderr_has '--program: unknown command "slep"'
stderr_has 'did you mean "sleep"?'
trainyard serve --state wrong --program 'x=sleep 20q; exit 3' --port 0 --plain-port 0
exit_is 2
stderr_has '--program: the script has more than simple commands: "sleep 20q"'
trainyard serve --state wrong --programs small/job.json --port 0 --plain-port 0
exit_is 2
stderr_has 'expected an array of programs'

example "a catalogue that an option adds is part of a new state"
cat >own.json <<'END'
{"catalog": 1, "sources": {"me": {"title": "mine", "date": "2018"}},
 "images": {"own/image": {"compressed_size": {"value": "77MB", "source": "me"}}}}
END
holds serve --state own --catalog own.json
end TERM
trainyard export --state own
stdout_has '"77MB"'
trainyard serve --state wrong --catalog missing.json --port 0 --plain-port 0
exit_is 2

example "a fork continues a session, which stays unchanged"
[ -z "$server" ] || end TERM
post() # PART BODY
{
    curl -sS --noproxy '*' -X POST -d "$2" "http://$(fact plain)/trainyard/$1" >stdout 2>stderr
}
holds serve --state fork-old --clock manual --scenario "$scenarios/workloads/poisson/scenario.json"
post clock '{"do": "advance", "by": "2h"}'
served_plain=$(fact plain)
old=$server
holds serve --state fork-live --fork fork-old --clock manual # a copy by the emulator that serves it
end TERM
holds serve --state fork-past --fork fork-old --fork-at 1h --clock manual
post clock '{"do": "advance", "by": "0s"}'
stdout_has '"now_ns": 3600000000000'
end TERM
holds [ -z "$(ls -A fork-old/copies)" ]
trainyard export --state fork-old # which is being served
exit_is 2
stderr_has "the emulator that serves it has it at http://$served_plain/trainyard/session"
curl -sS --noproxy '*' -X PUT -w '%{http_code}' "http://$served_plain/trainyard/copies/.." >stdout 2>stderr
stdout_has 404
curl -sS --noproxy '*' --path-as-is -X PUT -w '%{http_code}' "http://$served_plain/trainyard/copies/%2e%2e" >stdout 2>stderr
stdout_has 400
server=$old
end TERM
trainyard export --state fork-live -o live.json
trainyard export --state fork-old -o old.json
holds cmp live.json old.json
trainyard export --state fork-old -o old.json
holds serve --state fork-new --fork fork-old --clock manual
end TERM
trainyard export --state fork-new -o new.json
holds cmp old.json new.json
trainyard serve --state fork-new --fork fork-old --port 0 --plain-port 0
exit_is 2
stderr_has 'without --fork the emulator continues with it'
holds serve --state fork-other --fork fork-old --fork-at 1h --fork-seed 7 --clock manual
post clock '{"do": "advance", "by": "2h"}'
stdout_has '"now_ns": 10800000000001'
end TERM
trainyard export --state fork-other -o fork-other.json
holds grep -q '"seed.change"' fork-other.json
trainyard run fork-other.json -o fork-other
exit_is 0
trainyard run "$scenarios/workloads/poisson/scenario.json" -o plain
holds cmp <(awk '!/^#/ && $1 < 3600000000000' fork-other/trace.tsv) <(awk '!/^#/ && $1 < 3600000000000' plain/trace.tsv)
trainyard export --state fork-old -o again.json
holds cmp old.json again.json
trainyard serve --state late --fork fork-old --fork-at 3h --port 0 --plain-port 0
exit_is 2
stderr_has 'its session is only at 2 h'
trainyard serve --state late --fork-seed 3 --port 0 --plain-port 0
exit_is 2
stderr_has 'need the folder of a session'
holds [ ! -e late ]

example "a disk without room for a snapshot is reported at the start, not at the end"
# A command after these words finds a disk of 12 MiB in the folder cramped.
cramped=(unshare --mount bash -c 'mkdir -p cramped && mount -t tmpfs -o size=12m cramped cramped && exec "$@"' bash)
if "${cramped[@]}" true 2>/dev/null; then
    rm -f ready.json
    "${cramped[@]}" "$TRAINYARD" serve --port 0 --plain-port 0 --ready-file ready.json --state cramped/new --fork fork-old --clock manual >served 2>log &
    server=$!
    holds wait_until_served
    holds [ "$(grep -c 'warning: the disk of cramped/new has no room for a snapshot of the session' log)" = 1 ]
    end TERM
    exit_is 0
    holds [ "$(grep -c warning log)" = 1 ]
fi

example "a jump of the clock is undone while clients are there"
holds serve --state undo --clock manual --scenario "$scenarios/workloads/poisson/scenario.json"
stdout_has "Time moves by request alone; until then az waits"
stdout_has "  curl -d '{\"do\": \"advance\", \"by\": \"5m\"}' http://$(fact plain)/trainyard/clock"
post clock '{"do": "advance", "by": "2h"}'
curl -sS --noproxy '*' "http://$(fact plain)/trainyard/session" -o before.json
curl -sS -N --noproxy '*' "http://$(fact plain)/trainyard/events" >stream &
stream=$!
post clock '{"do": "advance", "by": "3h"}'
post programs '{"match": "x", "script": "exit 0"}'
curl -sS --noproxy '*' "http://$(fact plain)/trainyard/session" -o later.json
post clock '{"do": "undo"}'
stdout_has '"code": "Conflict"'
stdout_has 'drops 1 request (program.set x)'
stdout_has '\"accept\": true goes back all the same'
post clock '{"do": "undo", "accept": true}'
stdout_has '"now_ns": 7200000000000'
stdout_has 'undone/1.json"'
holds wait "$stream" # the stream ended in order ...
holds grep -q '"at_ns":7200000000000,"record":"undone"' <(tail -n 3 stream) # ... and says why
for i in 1 2 3 4 5 6 7 8; do
    curl -sS --noproxy '*' "http://$(fact plain)/trainyard/clock" >clock 2>stderr && break
    sleep "0.$i"
done
holds grep -q '"now_ns": 7200000000000' clock
curl -sS --noproxy '*' "http://$(fact plain)/trainyard/session" -o after.json
holds cmp before.json after.json
holds cmp undo/undone/1.json later.json
end KILL
trainyard export --state undo -o killed.json
holds cmp before.json killed.json
trainyard run undo/undone/1.json
exit_is 0

finish

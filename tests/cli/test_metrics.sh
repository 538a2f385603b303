#!/usr/bin/env bash
# /healthz, /readyz and /metrics of a running emulator, the format of a scrape, and the Grafana dashboard that shows it.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
# shellcheck source=tests/cli/served.sh
source "$source_folder/tests/cli/served.sh"
needs curl

# get PATH [OPTION-OF-CURL]...: the answer to stdout, its status and type to the file "facts".
get()
{
    local path=$1
    shift
    curl -sS --noproxy '*' -w '%{stderr}%{http_code} %{content_type}' "$@" "http://$(fact plain)$path" >stdout 2>facts
}

checked()
{
    /usr/bin/python3 "$source_folder/tests/cli/check_exposition.py" "$@" >stderr
}

example "a supervisor asks whether it answers and is ready"
holds serve --clock auto
get /healthz
holds [ "$(cat facts)" = "200 text/plain; charset=utf-8" ]
holds [ "$(cat stdout)" = ok ]
get /readyz
holds [ "$(cat facts)" = "200 text/plain; charset=utf-8" ]
curl -sS --noproxy '*' --cacert "$(fact ca)" "https://$(fact tls)/readyz" >stdout
holds [ "$(cat stdout)" = ok ]

example "a scrape has the format, and its rules"
curl -sS --noproxy '*' --cacert "$(fact ca)" -o /dev/null -H 'Authorization: Bearer token' "https://$(fact tls)/subscriptions?api-version=2020-01-01"
curl -sS --noproxy '*' -o /dev/null "http://$(fact plain)/trainyard/nothing"
curl -sS --noproxy '*' -o /dev/null -H 'Host: evil.example' "http://$(fact plain)/metrics"
get /metrics
cp stdout scrape
holds [ "$(cat facts)" = "200 text/plain; version=0.0.4; charset=utf-8" ]
holds checked scrape "$source_folder/emu/monitoring/grafana.json"
if [ -n "$(command -v promtool)" ]; then
    promtool check metrics <scrape >stdout 2>stderr
    holds [ ! -s stderr ]
    promtool check config "$source_folder/emu/monitoring/prometheus.yml" >stdout 2>stderr
    status=$?
    exit_is 0
fi
cp scrape stdout
stdout_has "trainyard_build_info{version=\"$("$TRAINYARD" --version | cut -d' ' -f2)\"} 1"
stdout_has 'trainyard_requests_total{operation="Subscriptions_List",status="200"} 1'
stdout_has 'trainyard_requests_total{operation="Readiness_Show",status="200"} 2'
stdout_has 'trainyard_requests_total{operation="none",status="404"} 1'
stdout_has 'trainyard_requests_total{operation="none",status="421"} 1'
stdout_has 'trainyard_request_duration_seconds_count{operation="none"} 2'

example "counters rise, and the world is in numbers"
curl -sS --noproxy '*' -o /dev/null -d '{"do": "advance", "by": "90s"}' "http://$(fact plain)/trainyard/clock"
get /metrics
stdout_has 'trainyard_requests_total{operation="Clock_Tell",status="200"} 1'
stdout_has 'trainyard_requests_total{operation="Metrics_Show",status="200"} 1'
holds awk '$1 == "trainyard_world_elapsed_seconds" && $2 >= 90 { found = 1 } END { exit !found }' stdout

example "the checker finds what is wrong"
for change in 's/^# TYPE trainyard_nodes gauge$/# TYPE trainyard_nodes counter/' 's/le="0.005"/le="0.05"/' 's/^process_open_fds .*/process_open_fds x/' \
    's/_count{operation="none"} 2/_count{operation="none"} 3/' '/^# HELP trainyard_jobs/d'; do
    sed "$change" scrape >broken
    holds [ "$(cmp -s scrape broken; echo $?)" = 1 ]
    checked broken
    pass_or_fail "nothing is found after $change" [ $? = 1 ]
done
end TERM
exit_is 0
finish

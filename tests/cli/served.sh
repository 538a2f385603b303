# Sourced by tests of a running emulator, after support.sh: starts it on free ports and ends it.
# shellcheck shell=bash disable=SC2034,SC2154 # status is for who sources this, work is of support.sh

# needs TOOL...: ends the script, as skipped, where the emulator or a tool is missing.
needs()
{
    local tool
    if [ ! -x "$(dirname "$TRAINYARD")/trainyard-serve" ]; then
        echo "skipped: the emulator is not built here"
        exit 0
    fi
    for tool in "$@"; do
        if ! command -v "$tool" >/dev/null; then
            echo "skipped: no $tool (package: $tool)"
            exit 0
        fi
    done
}

server=
trap '[ -z "$server" ] || kill -9 "$server" 2>/dev/null; remove_folders' EXIT
unset HTTP_PROXY http_proxy HTTPS_PROXY https_proxy NO_PROXY no_proxy

# serve OPTION...: starts an emulator and waits until it is ready; 1 if it ends before that. Its output until then is on stdout,
# its log stays in the file "log".
serve()
{
    rm -f ready.json
    "$TRAINYARD" serve --port 0 --plain-port 0 --ready-file ready.json "$@" >served 2>log &
    server=$!
    wait_until_served
}

wait_until_served()
{
    local i
    for ((i = 0; i < 1000; i++)); do
        [ ! -s ready.json ] || { cp served stdout; return 0; }
        kill -0 "$server" 2>/dev/null || return 1
        sleep 0.02
    done
    return 1
}

# end SIGNAL: what the emulator ends with.
end()
{
    kill "-$1" "$server"
    { wait "$server"; } 2>/dev/null
    status=$?
    server=
}

# fact NAME: a text of the ready file.
fact()
{
    sed -n "s/.*\"$1\": \"\\([^\"]*\\)\".*/\\1/p" ready.json
}

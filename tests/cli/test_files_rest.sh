#!/usr/bin/env bash
# trainyard serve --files, used by any client of Azure Files: its output contains all that a client needs.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
# shellcheck source=tests/cli/served.sh
source "$source_folder/tests/cli/served.sh"
needs curl openssl

# What AddressSanitizer keeps of freed memory would count as the server's own.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1

# Starts an emulator of files alone, whose connection string is all that a client has.
serve_files()
{
    serve --files && connection=$(sed -n 's/^ *\(DefaultEndpointsProtocol=.*\)/\1/p' served) && [ -n "$connection" ]
}

# part NAME: of the connection string.
part()
{
    sed -n "s/.*[;]$1=\\([^;]*\\);.*/\\1/p" <<<";$connection"
}

# ask METHOD PATH-AND-QUERY CANONICAL-QUERY LENGTH "HEADER:VALUE"... [-- OPTION-OF-CURL...]: a request signed with the key.
ask()
{
    local method=$1 target=$2 query=$3 length=$4 date text key signature options=() own=
    date=$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')
    shift 4
    own="x-ms-date:$date"$'\n'
    options=(-H "x-ms-date: $date")
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        own+="$1"$'\n'
        options+=(-H "${1%%:*}: ${1#*:}")
        shift
    done
    [ $# -eq 0 ] || shift
    own=$(LC_ALL=C sort <<<"${own%$'\n'}")$'\n'
    text="$method"$'\n\n\n'"$length"$'\n\n\n\n\n\n\n\n\n'"$own/$(part AccountName)/$(part AccountName)${target%%\?*}$query"
    key=$(part AccountKey | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
    signature=$(printf %s "$text" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
    curl -sS --noproxy '*' -X "$method" -w '\n%{http_code}\n' -H "Authorization: SharedKey $(part AccountName):$signature" \
        "${options[@]}" "$@" "$(part FileEndpoint)$target" >stdout 2>stderr
    status=$?
}

example "what it prints is enough for a client that has never heard of it"
holds serve_files
holds [ "$(part AccountName)" = devstoreaccount1 ]
# Microsoft, "Use the Azurite emulator for local Azure Storage development": the well-known account and key.
holds [ "$(part AccountKey)" = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==' ]
ask PUT '/hello?restype=share' $'\nrestype:share' '' x-ms-version:2021-12-02 -- -H 'Content-Length: 0'
stdout_has 201
ask PUT /hello/greeting.txt '' '' x-ms-content-length:5 x-ms-type:file x-ms-version:2021-12-02 -- -H 'Content-Length: 0'
stdout_has 201
ask PUT '/hello/greeting.txt?comp=range' $'\ncomp:range' 5 x-ms-range:bytes=0-4 x-ms-version:2021-12-02 x-ms-write:update -- \
    --data-binary hello -H 'Content-Type;'
stdout_has 201
ask GET /hello/greeting.txt '' '' x-ms-version:2021-12-02
stdout_has hello
ask GET '?comp=list' $'\ncomp:list' '' x-ms-version:2021-12-02
stdout_has '<Name>hello</Name>'

example "another key is refused"
connection=${connection/AccountKey=Eby8/AccountKey=Eby9}
ask GET '?comp=list' $'\ncomp:list' '' x-ms-version:2021-12-02
stdout_has AuthenticationFailed

example "the account and what is in it are there after a restart"
end TERM
holds serve_files
ask GET /hello/greeting.txt '' '' x-ms-version:2021-12-02
stdout_has hello

example "the protocol, request by request"
holds /usr/bin/python3 "$source_folder/tests/cli/files/protocol.py" "$connection"

example "a sparse file of 4 GiB goes by in little memory and on little disk"
holds /usr/bin/python3 "$source_folder/tests/cli/files/large.py" "$connection" "$server" trainyard-state 256
end TERM
exit_is 0

finish

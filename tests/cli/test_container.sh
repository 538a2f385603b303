#!/usr/bin/env bash
# The Dockerfile of the emulator, without a container engine: its packages exist, its sources are there, its command serves, its health
# check succeeds, its user is not root.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
# shellcheck source=tests/cli/served.sh
source "$source_folder/tests/cli/served.sh"
needs curl
dockerfile=$source_folder/tools/package/Dockerfile

# One instruction a line, without comments: "RUN apt-get update && ...".
sed -e '/^#/d' -e ':a; /\\$/ { N; s/ *\\\n */ /; ba; }' "$dockerfile" | sed '/^$/d' >steps

# words INSTRUCTION: the words of a JSON list, one a line, of the last stage.
words()
{
    sed -n "s/^$1 .*\\(\\[.*\\]\\)$/\\1/p" steps | tail -n 1 | /usr/bin/python3 -c 'import json, sys; print("\n".join(json.load(sys.stdin)))'
}

example "two stages of the same system, the second without a compiler and without root"
holds [ "$(grep -c '^FROM debian:12-slim' steps)" = 2 ]
awk '/^FROM/ { stage++ } stage == 2' steps >last
holds [ "$(grep -cE 'gcc|cmake' last)" = 0 ]
holds grep -qE '^USER [1-9][0-9]*$' last
holds grep -q -e "--uid $(sed -n 's/^USER //p' last)" last
holds grep -qx 'VOLUME /var/lib/trainyard' last

example "the first stage installs what the build needs"
# What the emulator does without: plots, and the trainer's libraries.
for package in $(sed -n "/^build_needs=/,/^'/ s/^\([a-z0-9-]*\) *|.*/\1/p" "$source_folder/tools/setup.sh" |
    grep -vE '^(gnuplot-nox|libdnnl-dev|libopenmpi-dev|openmpi-bin)$'); do
    holds grep -qE "apt-get install .* $package( |\$)" steps
done
if [ -n "$(command -v apt-cache)" ]; then
    example "packages are known to Debian"
    mapfile -t packages < <(grep -oE 'no-install-recommends [a-z0-9 .+-]*' steps | cut -d' ' -f2- | tr ' ' '\n' | grep -E '^[a-z]')
    holds [ "${#packages[@]}" -gt 10 ]
    apt-cache show --no-all-versions "${packages[@]}" >shown 2>/dev/null || true
    for package in "${packages[@]}"; do
        holds grep -qx "Package: $package" shown
    done
fi

example "the build is configured with options that exist"
for option in $(grep -oE -e '-D[A-Z_]+' steps | sort -u); do
    holds grep -rqE "(option\\(|\\b)${option#-D}\\b" "$source_folder/CMakeLists.txt"
done
holds [ -x "$source_folder/tools/package.sh" ]

example "its ports are those of serve"
trainyard serve --help
read -r _ tls plain userinfo < <(grep '^EXPOSE' last)
stdout_has "($tls;"
stdout_has "($plain;"
holds [ "$userinfo" = $((plain + 1)) ]

example "its command serves, and its health check succeeds"
mapfile -t entry < <(words ENTRYPOINT)
mapfile -t options < <(words CMD)
mapfile -t check < <(words HEALTHCHECK)
holds [ "${entry[0]}" = trainyard-serve ]
mkdir -m 700 state
# On free ports and with a state here; in the container the folder is the volume.
PATH=$(dirname "$TRAINYARD"):$PATH "${entry[@]/#\/var\/lib\/trainyard/$work/state}" "${options[@]}" --port 0 --plain-port 0 --ready-file ready.json \
    >served 2>log &
server=$!
holds wait_until_served
stdout_has "clock: auto"
port=$(fact plain | sed 's/.*://')
"${check[@]/:$plain\//:$port/}" >stdout 2>stderr
status=$?
exit_is 0
stdout_has ok
end TERM
exit_is 0
"${check[@]/:$plain\//:$port/}" >stdout 2>stderr
status=$?
holds [ "$status" -ne 0 ]
finish

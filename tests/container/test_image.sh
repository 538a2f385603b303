#!/usr/bin/env bash
# The Dockerfile, built and run by podman: its health check, its user, its volume, its ports, its end.
# shellcheck source=tests/container/support.sh
source "$(dirname "$0")/support.sh"
trap 'podman rm -f -t 0 -v emulator >/dev/null 2>&1; podman volume rm -f trainyard-test >/dev/null 2>&1; rm -rf "$work"' EXIT
podman rm -f -t 0 -v emulator >/dev/null 2>&1
podman volume rm -f trainyard-test >/dev/null 2>&1

# build STAGE-OPTION...: builds the image; the network is the machine's.
build()
{
    podman build -q --format docker --isolation chroot --network host -f "$source_folder/tools/package/Dockerfile" "$@" "$source_folder"
}

have_base || skip "there is no $base here, and it cannot be made"
holds build --target build -t "$builder"
holds build -t "$image"
[ "$failed" -eq 0 ] || finish

# start [OPTION]...: the emulator as the Dockerfile's first lines show it.
start()
{
    podman run -d --name emulator --hostname emulator -p 127.0.0.1:10443:10443 -p 127.0.0.1:10444:10444 -v trainyard-test:/var/lib/trainyard "$image" "$@"
}

is_healthy()
{
    podman healthcheck run emulator
}

# Requests of a client outside of the container about one resource group.
# shellcheck disable=SC2120 # holds passes them
group()
{
    curl -sS --fail-with-body --noproxy '*' --cacert "$work/ca.pem" -H 'Authorization: Bearer token' -H 'Content-Type: application/json' "$@" \
        'https://localhost:10443/subscriptions/00000000-0000-0000-0000-000000000000/resourcegroups/kept?api-version=2018-05-01'
}

has_group()
{
    group | grep '"name":"kept"'
}

holds start
holds eventually 60 is_healthy
holds [ "$(podman exec emulator id -u)" = 10444 ]
holds [ "$(podman exec emulator cat /proc/1/comm)" = trainyard-serve ]
holds podman exec emulator sh -c '! touch /etc/changed'
holds [ "$(podman exec emulator sh -c 'ls -A /var/lib/trainyard | grep -c "^[.]"')" = 0 ]
holds curl -sS -f --noproxy '*' http://127.0.0.1:10444/readyz
holds podman cp emulator:/var/lib/trainyard/ca.pem "$work/ca.pem"
holds group -X PUT -d '{"location": "eastus"}'
holds podman stop -t 20 emulator
holds [ "$(podman inspect -f '{{.State.ExitCode}}' emulator)" = 0 ]
holds podman rm emulator

# Another container with the same volume continues, with the same certificate, after an end and after a kill.
holds start --clock real
holds eventually 60 is_healthy
holds has_group
holds podman kill emulator
holds podman rm -f emulator
holds start
holds eventually 60 is_healthy
holds has_group
finish

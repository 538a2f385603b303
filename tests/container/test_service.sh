#!/usr/bin/env bash
# The Debian packages in a container whose first process is systemd: the unit starts, serves with its hardening, restarts, keeps its
# state, and goes with its package. Builds nothing: the packages are those of the image's first stage (test_image.sh).
# shellcheck source=tests/container/support.sh
source "$(dirname "$0")/support.sh"
trap 'podman rm -f -t 0 service >/dev/null 2>&1; rm -rf "$work"' EXIT
podman rm -f -t 0 service >/dev/null 2>&1
podman image exists "$builder" || skip "test_image.sh has not built the packages"

mkdir "$work/packages"
built=$(podman create "$builder" true)
podman cp "$built:/packages/." "$work/packages"
podman rm "$built" >/dev/null
cat >"$work/Dockerfile" <<END
FROM $base
RUN apt-get update && apt-get install -y --no-install-recommends systemd curl
CMD ["/lib/systemd/systemd"]
END
holds podman build -q --isolation chroot --network host -t trainyard-test-systemd "$work"
holds podman run -d --name service --systemd=always --privileged --network host -v "$work/packages:/packages:ro" trainyard-test-systemd

inside()
{
    podman exec service "$@"
}

is_up()
{
    inside systemctl is-system-running | grep -qE 'running|degraded'
}

is_ready()
{
    get /readyz
}

holds eventually 60 is_up
holds inside sh -c 'apt-get install -y --no-install-recommends /packages/*.deb'
[ "$failed" -eq 0 ] || finish

is_inactive()
{
    [ "$(inside systemctl is-active trainyard-emulator)" = inactive ]
}

# get PATH: an answer of the emulator's plain port.
get()
{
    inside curl -sS -f "http://127.0.0.1:10444$1"
}

is_manual()
{
    get /trainyard/clock | grep '"clock": "manual"'
}

main_process()
{
    inside systemctl show -P MainPID trainyard-emulator
}

has_new_process()
{
    local process
    process=$(main_process)
    [ "$process" != 0 ] && [ "$process" != "$before" ] && is_ready
}

# A request about one resource group, with the service's certificate.
group()
{
    inside curl -sS --fail-with-body --cacert /var/lib/trainyard/ca.pem -H 'Authorization: Bearer token' -H 'Content-Type: application/json' \
        "$@" 'https://localhost:10443/subscriptions/00000000-0000-0000-0000-000000000000/resourcegroups/kept?api-version=2018-05-01'
}

# The package starts nothing.
holds is_inactive
holds inside systemctl enable --now trainyard-emulator
holds eventually 60 is_ready
holds inside systemctl is-active trainyard-emulator
holds group -X PUT -d '{"location": "eastus"}'

# Its process is not root's, has no capabilities and a filter of system calls.
before=$(main_process)
holds inside sh -c "! grep -q '^Uid:.0' /proc/$before/status"
holds inside grep -q '^CapEff:.0000000000000000$' "/proc/$before/status"
holds inside grep -q '^NoNewPrivs:.1$' "/proc/$before/status"
holds inside grep -q '^Seccomp:.2$' "/proc/$before/status"
holds inside sh -c "[ \"\$(stat -L -c %a /var/lib/trainyard)\" = 700 ]"

# systemd starts it again after a kill, with its state, but not after a stop.
holds inside systemctl kill -s KILL trainyard-emulator
holds eventually 60 has_new_process
holds group
holds inside systemctl stop trainyard-emulator
holds [ "$(inside systemctl show -P Result trainyard-emulator)" = success ]
holds [ "$(inside systemctl show -P ExecMainStatus trainyard-emulator)" = 0 ]

# The options of its file apply.
holds inside sed -i 's/--clock auto/--clock manual/' /etc/default/trainyard-emulator
holds inside systemctl start trainyard-emulator
holds eventually 60 is_ready
holds group
holds is_manual

# Removing the package ends the service; purging removes its options.
holds inside apt-get remove -y trainyard-emulator
holds is_inactive
holds inside apt-get purge -y trainyard-emulator
holds inside sh -c '! [ -e /etc/default/trainyard-emulator ] && ! [ -e /var/lib/private/trainyard ]'
finish

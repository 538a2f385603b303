# Sourced by the scripts of this folder: counts checks, and makes the base system of the containers.
# shellcheck shell=bash disable=SC2034 # the scripts that source this file use source_folder
set -uo pipefail
source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
base=debian:12-slim
image=trainyard-test
builder=trainyard-test-build
passed=0
failed=0

skip()
{
    echo "skipped: $*"
    exit 77
}

# holds COMMAND...: one check.
holds()
{
    if "$@" >"$work/output" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not ok: $*"
        tail -n 20 "$work/output" | sed 's/^/    /'
    fi
}

finish()
{
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}

# eventually SECONDS COMMAND...: repeats a command until it succeeds.
eventually()
{
    local seconds=$1 end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || { echo "not within $seconds s: $*"; return 1; }
        sleep 0.2
    done
}

# The base image of the Dockerfile: the engine's own, from a registry, or made of Debian's packages.
have_base()
{
    podman image exists "$base" || podman pull -q "$base" 2>/dev/null || make_base
}

make_base()
{
    local root=$work/root
    debootstrap --variant=minbase bookworm "$root" >"$work/output" 2>&1 || { tail -n 5 "$work/output"; return 1; }
    tar -C "$root" -c . | podman import - "$base"
}

[ "$(id -u)" -eq 0 ] || skip "containers are tested by root"
for tool in podman runc debootstrap curl; do
    command -v "$tool" >/dev/null || skip "no $tool"
done
work=$(mktemp -d)
# Limits that every machine grants: podman would ask for more than a restricted root may have. runc knows mixed versions of cgroups.
cat >"$work/containers.conf" <<'END'
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
END
export CONTAINERS_CONF=$work/containers.conf
podman info >/dev/null 2>&1 || skip "podman does not run here"

#!/usr/bin/env bash
# Runs tools/try.sh and the short run of tools/test.sh on another version of Debian, in a folder that debootstrap fills. Only for root.
#
#   tools/debian.sh [SUITE [LEG...]]
# SUITE     a release of Debian (trixie, which is Debian 13)
# LEG       a leg of tools/test.sh (the legs of the short run)
#
# Tests the last commit. Keeps the system in build/debian/SUITE. Ends as tools/test.sh does; exit code 77: not on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh
suite=${1:-trixie}
root=$PWD/build/debian/$suite
clone=/trainyard

if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
    echo "debian: needs root and debootstrap"
    exit 77
fi
if [ ! -e "$root/made" ]; then
    rm -rf "$root"
    mkdir -p "$root"
    debootstrap --variant=minbase --include=ca-certificates,git "$suite" "$root" >"$root.log" 2>&1 || {
        tail -n 3 "$root.log"
        echo "debian: debootstrap failed"
        exit 77
    }
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # packages start no services
    chmod +x "$root/usr/sbin/policy-rc.d"
    touch "$root/made"
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
rm -rf "$root$clone"
git clone -q --no-hardlinks . "$root$clone"

# The file systems are mounted for these commands only.
unshare --mount --propagation private bash -euc '
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    mount -t sysfs sysfs "$1/sys"
    exec chroot "$1" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -euc "
        cd \"\$1\"
        shift
        tools/try.sh
        tools/test.sh \"\$@\"" bash "${@:2}"
' bash "$root" "$clone" "${@:2}"

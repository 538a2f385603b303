#!/usr/bin/env bash
# Builds trainyard for arm64 with Debian's cross compiler and runs its tests under qemu's user mode: all unit tests, the goldens
# and the program's own tests, which were written down on x86-64; but not trainings at length, which take floating-point arithmetic
# that qemu is slow in.
#
#   tools/arm64.sh            builds and tests
#   tools/arm64.sh --build    only builds
#
# The libraries are Debian's packages for arm64, unpacked below build/ and not installed. Exit code 77: cannot be done here, with
# the reason on the last line.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/setup.sh

sysroot=$PWD/build/arm64-sysroot
packages=(libc6-dev libcjson-dev libhdf5-dev libgsl-dev librandom123-dev check)

cannot()
{
    echo "$*"
    exit 77
}

make_sysroot()
{
    local work package link
    [ "$(cat "$sysroot/packages" 2>/dev/null)" != "${packages[*]}" ] || return 0
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || cannot "there is no apt-get to fetch libraries for arm64 with"
    work=$(mktemp -d)
    if ! apt_apart "$work" arm64 update ||
        ! apt_apart "$work" arm64 --no-install-recommends --download-only install "${packages[@]}"; then
        rm -r "$work"
        cannot "the package sources of this machine gave no libraries for arm64"
    fi
    rm -rf "$sysroot"
    mkdir -p "$sysroot"
    for package in "$work"/archives/*.deb; do
        dpkg-deb -x "$package" "$sysroot"
    done
    rm -r "$work"
    # Absolute links would lead to this machine's own libraries.
    find "$sysroot" -type l -lname '/*' | while read -r link; do
        ln -sfnr "$sysroot$(readlink "$link")" "$link"
    done
    echo "${packages[*]}" >"$sysroot/packages"
}

for need in aarch64-linux-gnu-gcc qemu-aarch64; do
    command -v "$need" >/dev/null || cannot "$need is not installed (Debian: gcc-aarch64-linux-gnu, qemu-user)"
done
mkdir -p build
make_sysroot
cmake --preset arm64
cmake --build --preset arm64
if [ "${1:-}" != --build ]; then
    ctest --preset arm64 -j "$(nproc)"
fi

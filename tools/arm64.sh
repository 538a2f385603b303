#!/usr/bin/env bash
# Builds trainyard for arm64 with Debian's cross compiler and runs its tests under qemu's user mode: unit tests except long trainings,
# the goldens, and the tests of the command line. Their expected results were recorded on x86-64.
#
#   tools/arm64.sh            builds and tests
#   tools/arm64.sh --build    only builds
#
# The libraries are Debian's packages for arm64, unpacked below build/ and not installed. Exit code 77: not possible on this machine;
# the last line is the reason.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh

sysroot=$PWD/build/arm64-sysroot
packages=(libc6-dev libhdf5-dev libgsl-dev librandom123-dev check)

cannot()
{
    echo "$*"
    exit 77
}

# Fetches the packages and their dependencies. apt-get uses separate lists and an empty state, so this machine is not changed.
fetch()
{
    local work=$1 options
    mkdir -p "$work/lists/partial" "$work/archives/partial"
    : >"$work/status"
    options=(-o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::lists="$work/lists"
        -o Dir::State::status="$work/status" -o Dir::Cache::archives="$work/archives" -o Dir::Cache::pkgcache=
        -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User= -o Debug::NoLocking=true)
    apt-get "${options[@]}" -q update &&
        apt-get "${options[@]}" -q -y --no-install-recommends --download-only install "${packages[@]}"
}

make_sysroot()
{
    local work package link
    [ "$(cat "$sysroot/packages" 2>/dev/null)" != "${packages[*]}" ] || return 0
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || cannot "apt-get is needed to fetch libraries for arm64"
    work=$(mktemp -d)
    if ! fetch "$work"; then
        rm -r "$work"
        cannot "the package sources of this machine have no libraries for arm64"
    fi
    rm -rf "$sysroot"
    mkdir -p "$sysroot"
    for package in "$work"/archives/*.deb; do
        dpkg-deb -x "$package" "$sysroot"
    done
    rm -r "$work"
    # Absolute links would point to the libraries of this machine.
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

#!/usr/bin/env bash
# Builds the trainer with the last CUDA toolkit that makes code for Kepler, the K80's generation, and its host compiler, GCC 11.
#
#   tools/kepler.sh     leaves the programs in build/kepler/bin
#
# Both are Debian 12's packages, the toolkit of the component non-free: 0.9 GB are fetched once, and 0.4 GB of them unpacked below
# build/; nothing is installed. Without cuDNN and NCCL, which Debian does not have for it. Ends with the GPUs that the programs
# have code for. Exit code 77: cannot be done here, with the reason on the last line.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/setup.sh

root=$PWD/build/cuda-11.8
toolkit=$root/usr
packages=(nvidia-cuda-toolkit nvidia-cuda-dev libcudart11.0 libnvvm4 g++-11 gcc-11 cpp-11 libgcc-11-dev libstdc++-11-dev)

cannot()
{
    echo "$*"
    exit 77
}

# Fetches the packages, from where this machine has its own of Debian 12.
fetch()
{
    local work=$1 site sources
    apt_apart "$work" amd64 update || return 1
    site=$(apt_apart "$work" amd64 indextargets --format '$(ORIGIN) $(CODENAME) $(COMPONENT) $(REPO_URI)' |
        sed -n 's/^Debian bookworm main //p' | head -n 1)
    [ -n "$site" ] || return 1
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site bookworm main non-free" >"$work/sources.list"
    sources=(-o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null)
    apt_apart "$work" amd64 "${sources[@]}" update &&
        (cd "$work/archives" && apt_apart "$work" amd64 "${sources[@]}" download "${packages[@]}")
}

# Large libraries that nothing here is linked with stay packed.
unpack()
{
    local package
    for package in "$1"/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --wildcards --exclude='*_static*.a' --exclude='./usr/share/*'
    done
    dpkg-deb --fsys-tarfile "$1"/archives/nvidia-cuda-dev_*.deb |
        tar -x -C "$root" ./usr/lib/x86_64-linux-gnu/libcudart_static.a
}

# As NVIDIA lays a toolkit out, which can lie anywhere; Debian's layout wants to lie in /usr.
arrange()
{
    local stub
    mv "$toolkit"/lib/nvidia-cuda-toolkit/bin/{nvcc,cicc,crt} "$toolkit/bin/"
    ln -s lib/x86_64-linux-gnu "$toolkit/lib64"
    mkdir -p "$toolkit/nvvm"
    ln -s ../lib/nvidia-cuda-toolkit/libdevice "$toolkit/nvvm/libdevice"
    # Libraries that were not fetched are linked by their stubs, and so found when a program starts.
    find "$toolkit/lib64/" -xtype l -delete
    for stub in "$toolkit"/lib64/stubs/*.so; do
        ln -sf "${stub##*/}" "${stub%/*}/$(readelf -d "$stub" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')"
    done
    cat >"$toolkit/bin/nvcc.profile" <<'PROFILE'
TOP = $(_HERE_)/..
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
LD_LIBRARY_PATH += $(TOP)/lib64:
PATH += $(_HERE_):
INCLUDES += "-I$(TOP)/include" $(_SPACE_)
LIBRARIES =+ $(_SPACE_) "-L$(TOP)/lib64/stubs" "-L$(TOP)/lib64"
PROFILE
}

make_toolkit()
{
    local work
    [ "$(cat "$root/packages" 2>/dev/null)" != "${packages[*]}" ] || return 0
    [ "$(uname -m)" = x86_64 ] || cannot "the packages are for x86-64"
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || cannot "there is no apt-get to fetch CUDA 11.8 with"
    mkdir -p build
    work=$(mktemp -d -p build)
    if ! fetch "$PWD/$work"; then
        rm -r "$work"
        cannot "the package sources of this machine gave no CUDA 11.8: it is in Debian 12's component non-free"
    fi
    rm -rf "$root"
    mkdir -p "$root"
    unpack "$work"
    rm -r "$work"
    arrange
    echo "${packages[*]}" >"$root/packages"
}

make_toolkit
export CUDACXX=$toolkit/bin/nvcc CUDAHOSTCXX=$toolkit/bin/g++-11
cmake --preset gpu -B build/kepler -DBUILD_TESTING=OFF -DTRAINYARD_CUDNN=OFF -DTRAINYARD_NCCL=OFF
cmake --build build/kepler
echo "code for $("$toolkit/bin/cuobjdump" --list-elf build/kepler/bin/trainyard-train | grep -o 'sm_[0-9]*' | sort -u | paste -sd ' ')"

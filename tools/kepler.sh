#!/usr/bin/env bash
# Compiles the cuda backend with CUDA 11.8 for GPUs that newer toolkits have dropped, such as the tutorial's K80 (sm_37).
# The toolkit is Debian 12's, from the component non-free: 1.2 GB are downloaded into build/cuda-11.8 once. Nothing is installed.
#
#   tools/kepler.sh        exit 77 with the reason if the packages are not available
# Builds with trainyard's kernels and cuBLAS, without cuDNN and NCCL, which Debian does not have for CUDA 11.8. The script checks
# that trainyard-train contains code for sm_37. Running it needs a K80 and its driver.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh
source tools/setup.sh

folder=$PWD/build/cuda-11.8
root=$folder/root
toolkit=$folder/toolkit
suite=bookworm
# The newest compiler that Debian's nvcc 11.8 accepts is gcc 11. Every build machine has the
# dependencies of its libraries.
packages=(nvidia-cuda-toolkit nvidia-cuda-dev libcudart11.0 libcublas11 libcublaslt11 libnvvm4 gcc-11 g++-11 cpp-11 libgcc-11-dev libstdc++-11-dev)

skip()
{
    echo "kepler: skipped: $*"
    exit 77
}

# Prints the address of this machine's source of Debian packages.
debian_address()
{
    local places=()
    mapfile -t places < <(find /etc/apt -name '*.list' -o -name '*.sources')
    [ ${#places[@]} -gt 0 ] || return 0
    sed -nE 's/^URIs: *([^ ]+\/debian\/?)( .*)?$/\1/p; s/^deb (\[[^]]*\] )?([^ ]+\/debian\/?) .*/\2/p' "${places[@]}" | head -n 1
}

fetch()
{
    local address options
    address=$(debian_address)
    [ -n "$address" ] || skip "no source of Debian packages is configured"
    mkdir -p "$folder"/{lists/partial,archives/partial,debs,root}
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $address $suite main non-free" >"$folder/sources.list"
    : >"$folder/status"
    options=(-o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$folder/lists"
        -o Dir::Cache::Archives="$folder/archives" -o Dir::State::Status="$folder/status" -o APT::Sandbox::User=root)
    apt-get "${options[@]}" -qq update || skip "the lists of Debian packages cannot be downloaded"
    (cd "$folder/debs" && apt-get "${options[@]}" -qq download "${packages[@]}") || skip "the packages of CUDA 11.8 cannot be downloaded"
    local package
    for package in "$folder"/debs/*.deb; do
        dpkg -x "$package" "$root"
    done
    arrange
    rm -r "$folder"/{debs,archives,lists}
}

# Debian distributes the toolkit over the system's folders, where its nvcc searches for all parts. Rearranges it to NVIDIA's layout, in
# which nvcc finds all parts relative to its folder.
arrange()
{
    local parts=$root/usr/lib/nvidia-cuda-toolkit new=$folder/toolkit.new
    rm -rf "$new"
    mkdir -p "$new"/{bin,nvvm/bin}
    cp "$root"/usr/bin/{ptxas,fatbinary,cudafe++,nvlink,bin2c,cuobjdump} "$parts/bin/nvcc" "$new/bin"
    cp -r "$parts/bin/crt" "$new/bin"
    cp "$parts/bin/cicc" "$new/nvvm/bin"
    cp -r "$parts/libdevice" "$new/nvvm"
    ln -s "$root/usr/include" "$new/include"
    ln -s "$root/usr/lib/x86_64-linux-gnu" "$new/lib64"
    cat >"$new/bin/nvcc.profile" <<'END'
TOP = $(_HERE_)/..
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH += $(TOP)/nvvm/bin:$(_HERE_):
INCLUDES += "-I$(TOP)/include" $(_SPACE_)
LIBRARIES =+ $(_SPACE_) "-L$(TOP)/lib64"
END
    mv "$new" "$toolkit" # so that the folder is complete if it exists
}

[ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] || skip "this system is not Debian on x86-64"
setup "$build_needs"
[ -d "$toolkit" ] || fetch

export PATH=$toolkit/bin:$root/usr/bin:$PATH
export CUDACXX=$toolkit/bin/nvcc CUDAHOSTCXX=$root/usr/bin/g++-11
cmake --preset gpu -B build/kepler -DTRAINYARD_WERROR=ON -DBUILD_TESTING=OFF -DTRAINYARD_NCCL=OFF -DTRAINYARD_CUDNN=OFF \
    -DCUDAToolkit_ROOT="$toolkit"
cmake --build build/kepler --target trainyard-train
"$toolkit/bin/cuobjdump" --list-elf build/kepler/bin/trainyard-train | tee build/kepler/code.txt
grep -q 'sm_37\.cubin' build/kepler/code.txt || { echo "kepler: no code for sm_37" >&2; exit 1; }
echo "kepler: trainyard-train is linked with CUDA 11.8, with code for sm_37"

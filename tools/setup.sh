# Sourced by the other scripts: finds the packages that are missing on this machine and installs them with apt-get, on Debian 12
# and 13, Ubuntu 22.04 and 24.04. On other systems it prints their names and stops.
# shellcheck shell=bash disable=SC2034 # the scripts that source this file use the lists of needs

# package of Debian and Ubuntu | a test that succeeds if it is installed | its purpose
build_needs='
gcc              | have_command gcc                     | the compiler
libc6-dev        | have_header stdio.h                  | headers of the C library
cmake            | have_command cmake                   | configures the build
ninja-build      | have_command ninja                   | runs the build
pkg-config       | have_command pkg-config              | finds libraries
libhdf5-dev      | have_library hdf5 hdf5-serial        | writes Keras model files
libgsl-dev       | have_library gsl                     | regressions of calibrations; tests compare with its quantiles
librandom123-dev | have_header Random123/philox.h       | counter-based random numbers
gnuplot-nox      | have_command gnuplot                 | plots of the report
libdnnl-dev      | have_header dnnl.h                   | oneDNN, a backend of the trainer
libopenmpi-dev   | have_library ompi-c                  | ranks of the trainer communicate
openmpi-bin      | have_command mpirun                  | starts ranks
libmicrohttpd-dev | have_library libmicrohttpd          | HTTP of the emulator
libgnutls28-dev  | have_library gnutls                  | TLS and signatures of the emulator
libsqlite3-dev   | have_library sqlite3                 | database of the emulator, trainyard sqlite
libxml2-dev      | have_library libxml-2.0              | XML of Azure Files
libunistring-dev | have_header unicase.h                | file names without case
zlib1g-dev       | have_header zlib.h                   | packs the journal of the emulator
'
test_needs='
g++              | have_command g++                     | compiles kernels for the processor
python3          | /usr/bin/python3 --version           | scripts of the tests
python3-venv     | /usr/bin/python3 -c "import ensurepip" | a virtual environment for the module
clang-format     | have_command clang-format            | the layout of sources
shellcheck       | have_command shellcheck              | checks the shell scripts
curl             | have_command curl                    | sends requests to the emulator
openssl          | have_command openssl                 | signs requests
procps           | have_command pgrep                   | finds processes that should have ended
groff-base       | have_command groff                   | formats the man pages
mandoc           | have_command mandoc                  | checks the man pages
man-db           | have_command man                     | shows the man pages
fish             | have_command fish                    | a shell that az-env supports
zsh              | have_command zsh                     | a shell that az-env supports
mksh             | have_command mksh                    | a shell that az-env supports
busybox          | have_command busybox                 | a shell that az-env supports
python3-jsonschema | /usr/bin/python3 -c "import jsonschema" | validates scenarios
check            | have_library check                   | unit tests
clang            | have_command clang                   | the second compiler
lld              | have_command ld.lld                  | links the tests of clang
CLANG_RUNTIME    | have_clang_runtime                   | libFuzzer and the sanitizers of clang
valgrind         | valgrind --quiet true                | finds reads of uninitialised memory
libc6-dbg        | valgrind --quiet true                | symbols of the C library, for valgrind
python3-h5py     | /usr/bin/python3 -c "import h5py"    | reads model files
python3-keras-preprocessing | /usr/bin/python3 -c "import keras_preprocessing.image" | image augmentation of Keras
libcurl4-gnutls-dev | have_library libcurl              | a client of the emulator
python3-scipy    | /usr/bin/python3 -c "import scipy.ndimage" | image augmentation of Keras
'

dashboard_needs='
chromium              | have_command chromium              | shows the dashboard
nodejs                | have_command node                  | controls the browser
'

arm64_needs='
gcc-aarch64-linux-gnu | have_command aarch64-linux-gnu-gcc | the compiler for arm64
qemu-user             | have_command qemu-aarch64          | runs programs for arm64
'

clients_needs='
azure-cli             | have_command az                                      | the command line of Azure
python3-azure         | /usr/bin/python3 -c "import azure.mgmt.batchai"      | the SDK for Python
python3-azure-storage | /usr/bin/python3 -c "import azure.storage.fileshare" | the SDK for file shares
python3-azure-multiapi-storage | /usr/bin/python3 -c "import azure.multiapi.storage" | the SDK of 2018
python3-pytest        | /usr/bin/python3 -c "import pytest"                  | the tests of scenarios/ci
python3-yaml          | /usr/bin/python3 -c "import yaml"                    | the workflow of scenarios/ci
python3-aiohttp       | /usr/bin/python3 -c "import aiohttp"                 | HTTP for its asynchronous clients
nodejs                | have_command node                                    | runs the SDKs for JavaScript
npm                   | have_command npm                                     | fetches the SDKs for JavaScript
curl                  | have_command curl                                    | sends requests to the emulator
prometheus            | have_command prometheus                              | scrapes the emulator
'

container_needs='
podman                | have_command podman                    | builds and runs the image
runc                  | have_command runc                      | starts containers
containernetworking-plugins | [ -d /usr/lib/cni ]              | published ports
debootstrap           | have_command debootstrap               | makes the base image where there is no registry
curl                  | have_command curl                      | sends requests to the emulator
'

install_needs='
python3-build         | /usr/bin/python3 -c "import build.env"       | makes the source distribution of the module for Python
'

debian_needs='
debootstrap            | have_command debootstrap               | makes the folder with another Debian
'

have_command()
{
    command -v "$1"
}

# True if pkg-config knows one of the given names.
have_library()
{
    local name
    for name in "$@"; do
        pkg-config --exists "$name" && return
    done
    return 1
}

have_header()
{
    echo "#include <$1>" | gcc -E -
}

# Debian and Ubuntu have the runtime in a separate package from clang 14 or 15 on. The test is whether a fuzz target links.
have_clang_runtime()
{
    local folder status=0
    folder=$(mktemp -d)
    printf '%s\n' '#include <stddef.h>' 'int LLVMFuzzerTestOneInput(const char *data, size_t size);' \
        'int LLVMFuzzerTestOneInput(const char *data, size_t size) { return data && size ? 0 : -1; }' >"$folder/probe.c"
    clang -fsanitize=fuzzer,address,undefined -o "$folder/probe" "$folder/probe.c" || status=$?
    rm -r "$folder"
    return $status
}

# Prints "package | purpose" for each need whose test fails.
missing_needs()
{
    local package present purpose
    while IFS='|' read -r package present purpose; do
        [ -n "$package" ] || continue
        eval "$present" >/dev/null 2>&1 || echo "${package// /} |$purpose"
    done <<<"$1"
}

setup_stop()
{
    printf 'setup: %s\n' "$@" >&2
    exit 3
}

# Runs apt-get as root, with sudo if needed.
apt_as_root()
{
    local settings=(env DEBIAN_FRONTEND=noninteractive)
    if [ "$(id -u)" -eq 0 ]; then
        "${settings[@]}" apt-get "$@"
    elif [ -t 0 ]; then
        sudo "${settings[@]}" apt-get "$@"
    else
        sudo -n "${settings[@]}" apt-get "$@"
    fi
}

apt_knows()
{
    [[ $(apt-cache policy "$1" 2>/dev/null) =~ Candidate:\ [0-9] ]]
}

# The package with libFuzzer for the clang that is or would be installed; nothing if clang contains it (Ubuntu 22.04).
clang_runtime_package()
{
    local version
    if command -v clang >/dev/null; then
        version=$(clang -dumpversion | cut -d. -f1)
    else
        version=$(apt-cache depends clang | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
    fi
    if apt_knows "libclang-rt-$version-dev"; then
        echo "libclang-rt-$version-dev"
    fi
}

# Names of the given needs in apt, one per line.
apt_packages()
{
    local package
    for package in "$@"; do
        if [ "$package" = CLANG_RUNTIME ]; then
            clang_runtime_package
        else
            echo "$package"
        fi
    done
}

install_packages()
{
    local names=("$@") packages package
    # Fresh containers have no package lists: fetch them if a name is unknown, not at every call.
    for package in "${names[@]}"; do
        if [ "$package" != CLANG_RUNTIME ] && ! apt_knows "$package"; then
            echo "setup: fetching the package lists (apt-get update)"
            apt_as_root update -q || setup_stop "apt-get update failed: is there a network?"
            break
        fi
    done
    mapfile -t packages < <(apt_packages "${names[@]}")
    for package in "${packages[@]}"; do
        apt_knows "$package" || setup_stop "this system's package sources do not have \"$package\"" \
            "supported are Debian 12 and 13, Ubuntu 22.04 and 24.04 (on Ubuntu with the component \"universe\")"
    done
    # Old package lists name files that mirrors no longer have: update the lists and try again.
    apt_as_root install -q -y --no-install-recommends "${packages[@]}" ||
        { apt_as_root update -q && apt_as_root install -q -y --no-install-recommends "${packages[@]}"; } ||
        setup_stop "apt-get could not install: ${packages[*]}"
}

# Installs the missing packages of the given needs. If that fails, prints the reason and ends the script.
setup()
{
    local needs=$1 missing names
    missing=$(missing_needs "$needs")
    [ -n "$missing" ] || return 0
    mapfile -t names < <(echo "$missing" | cut -d' ' -f1)
    echo "setup: missing on this machine"
    echo "${missing//CLANG_RUNTIME/libclang-rt-dev}" | sed 's/ |/:/; s/^/  /'
    command -v apt-get >/dev/null ||
        setup_stop "there is no apt-get here; install the packages above (the names are Debian's) and start again"
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
        setup_stop "installing needs root or sudo; ask an administrator to run: apt-get install ${names[*]//CLANG_RUNTIME/libclang-rt-dev}"
    echo "setup: installing with apt-get: ${names[*]//CLANG_RUNTIME/libclang-rt-dev}"
    install_packages "${names[@]}"
    missing=$(missing_needs "$needs")
    [ -z "$missing" ] || setup_stop "still missing after installing:" "$missing"
    echo "setup: done"
}

# Compiles with ccache if it is installed: then building again takes seconds.
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache
fi

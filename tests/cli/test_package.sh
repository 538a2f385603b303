#!/usr/bin/env bash
# What tools/package.sh and `cmake --install` make of this build: packages, their contents, the service, a program that runs from there.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
build=${TRAINYARD_BUILD:-$(cd "$(dirname "$TRAINYARD")/.." && pwd)} # tools/test.sh tests an installed program
if [ ! -e "$build/cmake_install.cmake" ] || ! starts_programs; then
    echo "skipped: not the program of a build for this machine"
    exit 0
fi
for tool in dpkg-deb dpkg-shlibdeps; do
    [ -n "$(command -v $tool)" ] || { echo "skipped: no $tool (package: dpkg-dev)"; exit 0; }
done
has_emulator=
[ ! -x "$build/bin/trainyard-serve" ] || has_emulator=1
export DEBEMAIL=packages@trainyard.test SOURCE_DATE_EPOCH=1700000000
# Packing with xz would take two thirds of this test's time; lintian refuses packages that are not compressed.
export DPKG_DEB_COMPRESSOR_TYPE=gzip DPKG_DEB_COMPRESSOR_LEVEL=1

make_packages()
{
    "$source_folder/tools/package.sh" "$build" "$@" >stdout 2>stderr
    status=$?
}

# has_file PACKAGE PATH
has_file()
{
    [ -e "root/$1$2" ] || [ -L "root/$1$2" ]
}

mkdir root control all
example "a package for each part"
make_packages packages
exit_is 0
packages=(trainyard trainyard-trainer)
[ -z "$has_emulator" ] || packages+=(trainyard-emulator trainyard-dashboards)
[ ! -e "$build/sim/library/libtrainyard.a" ] || packages+=(libtrainyard0 libtrainyard-dev python3-trainyard)
for name in "${packages[@]}"; do
    deb=$(echo packages/"$name"_*.deb)
    holds [ -s "$deb" ]
    holds dpkg-deb -x "$deb" "root/$name"
    holds dpkg-deb -e "$deb" "control/$name"
    holds has_file "$name" "/usr/share/doc/$name/copyright"
    holds grep -qx "Package: $name" "control/$name/control"
    # Every program has its page.
    for program in root/"$name"/usr/bin/*; do
        [ ! -e "$program" ] || holds has_file "$name" "/usr/share/man/man1/${program##*/}.1.gz"
    done
    (cd "root/$name" && md5sum --quiet -c "../../control/$name/md5sums") >stdout 2>stderr
    status=$?
    exit_is 0
done
holds grep -q '^Depends: .*libc6' control/trainyard/control
holds grep -qE '^Depends: .*trainyard \(= [0-9.]+-0local1\)' control/trainyard-trainer/control

example "the same bytes twice"
make_packages again trainyard-trainer
exit_is 0
holds [ "$(ls again)" = "$(basename packages/trainyard-trainer_*)" ]
holds cmp again/* packages/trainyard-trainer_*

if [ -n "$(command -v lintian)" ]; then
    example "lintian has no error and no warning"
    lintian --fail-on error,warning packages/*.deb >stdout 2>stderr
    status=$?
    exit_is 0
    stdout_is_empty
fi

example "the packaged program runs where it was unpacked"
for name in "${packages[@]}"; do cp -r "root/$name/." all; done
TRAINYARD=$work/all/usr/bin/trainyard
trainyard test all/usr/share/trainyard/scenarios/quotas
exit_is 0
trainyard make-cifar --images 10 cifar
exit_is 0
holds bash -n all/usr/share/bash-completion/completions/trainyard
holds has_file trainyard /usr/share/zsh/vendor-completions/_trainyard
holds has_file trainyard /usr/share/fish/vendor_completions.d/trainyard.fish
if [ -n "$(command -v man)" ]; then
    MANPAGER="cat" man -M all/usr/share/man trainyard-run >stdout 2>stderr
    stdout_has "trainyard run [OPTION]... SCENARIO"
fi

# A library with sanitizers is of no use to programs without them; test_library.sh gives them to its programs.
if [ -d root/libtrainyard-dev ] && ! readelf -d "$build/sim/library/libtrainyard.so.0" | grep -q libasan; then
    example "programs are built with the unpacked library, which CMake and pkg-config find, and Python finds the module"
    libraries=$(dirname "$(find "$work/all/usr/lib" -name libtrainyard.so.0)")
    examples=all/usr/share/doc/libtrainyard-dev/examples
    team=$scenarios/studies/cifar-team/scenario.json
    holds cmake -S $examples -B plan -DCMAKE_PREFIX_PATH="$work/all/usr" >stdout 2>stderr
    holds cmake --build plan >stdout 2>stderr
    # shellcheck disable=SC2046 # words
    holds cc -o plan/with_pkg_config $examples/plan.c $(PKG_CONFIG_PATH=$libraries/pkgconfig pkg-config --cflags --libs trainyard)
    for program in plan with_pkg_config; do
        LD_LIBRARY_PATH=$libraries plan/$program "$team" >stdout 2>stderr
        status=$?
        exit_is 0
        stdout_has "2 nodes: 100.0 % wait at most 30 min"
    done
    LD_LIBRARY_PATH=$libraries PYTHONPATH=all/usr/lib/python3/dist-packages /usr/bin/python3 - "$team" >stdout 2>stderr <<'PYTHON'
import importlib.metadata, sys
import trainyard
assert importlib.metadata.version("trainyard") == trainyard.version
print(trainyard.run(sys.argv[1]).metric("workloads.team.jobs"))
PYTHON
    status=$?
    exit_is 0
    stdout_has 200
fi

if [ -n "$has_emulator" ]; then
    unit=all/usr/lib/systemd/system/trainyard-emulator.service
    example "the command of the service starts an emulator"
    # As systemd does: the options of the file in /etc/default are words.
    # shellcheck source=/dev/null
    source all/etc/default/trainyard-emulator
    # shellcheck disable=SC2016 # the unit has these words
    command=$(sed -n 's/^ExecStart=//p' "$unit" | sed "s|\${STATE_DIRECTORY}|$work/state|; s|\$TRAINYARD_SERVE_OPTIONS|$TRAINYARD_SERVE_OPTIONS|")
    # shellcheck source=tests/cli/served.sh
    source "$source_folder/tests/cli/served.sh"
    # shellcheck disable=SC2086 # words
    PATH=$work/all/usr/bin:$PATH $command --port 0 --plain-port 0 --ready-file ready.json >served 2>log &
    server=$!
    holds wait_until_served
    stdout_has "clock: auto"
    end TERM
    exit_is 0
    if [ -n "$(command -v systemd-analyze)" ]; then
        example "systemd accepts the unit, and finds it closed"
        mkdir units
        # The program is not on this machine; pages of packages that are not installed are not found.
        sed 's|^ExecStart=trainyard-serve|ExecStart=/bin/true|; /^Documentation=/d' "$unit" >units/trainyard-emulator.service
        systemd-analyze verify "$work/units/trainyard-emulator.service" >stdout 2>stderr
        status=$?
        exit_is 0
        stderr_is_empty
        if systemd-analyze security --help | grep -q -e --offline; then
            systemd-analyze security --offline=true --threshold=15 "$work/units/trainyard-emulator.service" >stdout 2>stderr
            status=$?
            exit_is 0
        fi
    fi
    example "the scripts of the package are scripts"
    for script in control/trainyard-emulator/p*; do holds sh -n "$script"; done
fi
finish

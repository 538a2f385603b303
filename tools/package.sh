#!/usr/bin/env bash
# Makes Debian packages of an optimised build: program, emulator, trainer, libraries, dashboards (tools/package/packages.txt).
#     tools/package.sh [BUILD [OUT [NAME...]]]    BUILD: build/release by default, which is built; OUT: build/packages; NAME: these packages
# The same sources make the same bytes. DEBFULLNAME and DEBEMAIL are their maintainer.
set -euo pipefail
source "$(dirname "$0")/usage.sh"
build=${1:+$(realpath "$1")}
out=${2:+$(realpath -m "$2")}
only=" ${*:3} "
cd "$(dirname "$0")/.."
build=${build:-build/release}
out=${out:-build/packages}
if [ $# -eq 0 ]; then
    cmake --preset release
    cmake --build --preset release --target all library
fi
for tool in dpkg-deb dpkg-shlibdeps gzip; do
    command -v "$tool" >/dev/null || { echo "package: $tool is missing (Debian package: dpkg-dev)" >&2; exit 3; }
done

# Debian's own package would begin with -1, and replace these.
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")-0local1
machine=$(dpkg --print-architecture)
maintainer="${DEBFULLNAME:-the trainyard authors} <${DEBEMAIL:-trainyard@$(hostname -f 2>/dev/null || hostname)}>"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
mkdir -p "$out"

# The package of the HDF5 library that the program loads, which no header of the program names.
hdf5_package()
{
    local soname
    soname=$(grep -ohE 'TRAINYARD_HDF5_SONAME=[^ ]*' "$build/build.ninja" | head -n 1 | tr -dc 'a-zA-Z0-9_.=' | cut -d= -f2)
    [ -n "$soname" ] || return 0
    dpkg-query -S "*/$soname" 2>/dev/null | head -n 1 | cut -d: -f1
}

# Files of documentation as Debian's policy wants them: changelogs and pages compressed, the licence, no folder of another package.
add_documents()
{
    local name=$1 root=$2 folder=$2/usr/share/doc/$1
    mkdir -p "$folder"
    if [ "$name" != trainyard ] && [ -d "$root/usr/share/doc/trainyard" ]; then
        mv "$root"/usr/share/doc/trainyard/* "$folder"
        rmdir "$root/usr/share/doc/trainyard"
    fi
    { cat tools/package/copyright; sed -n 's/^Copyright (c) /Copyright: /p' LICENSE; echo "License: Expat"
      sed '1,/^Copyright/d; s/^$/./; s/^/ /' LICENSE | sed '1d'; } >"$folder/copyright"
    rm -f "$folder/CHANGELOG.md"
    gzip -9n <CHANGELOG.md >"$folder/changelog.gz"
    printf '%s (%s) unstable; urgency=medium\n\n  * Release %s; changelog.gz lists its changes.\n\n -- %s  %s\n' "$name" "$version" \
        "${version%-*}" "$maintainer" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$folder/changelog.Debian.gz"
    find "$root/usr/share/man" -type f -exec gzip -9n {} + 2>/dev/null || true
    find "$folder" -name '*.md' -size +4k -exec gzip -9n {} +
}

# What only one of the packages has.
add_parts()
{
    local root=$2
    case $1 in
    trainyard)
        mkdir -p "$root/usr/share/zsh"
        mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
        ;;
    libtrainyard0)
        echo 'activate-noawait ldconfig' >"$root/DEBIAN/triggers"
        echo "libtrainyard 0 libtrainyard0 (>= $version)" >"$root/DEBIAN/shlibs"
        ;;
    trainyard-emulator)
        install -D -m 644 tools/package/trainyard-emulator.default "$root/etc/default/trainyard-emulator"
        echo /etc/default/trainyard-emulator >"$root/DEBIAN/conffiles"
        install -D -m 644 tools/package/trainyard-emulator.lintian-overrides "$root/usr/share/lintian/overrides/trainyard-emulator"
        install -m 755 tools/package/postinst tools/package/prerm tools/package/postrm "$root/DEBIAN"
        ;;
    esac
}

# What dpkg-shlibdeps finds in the programs below a folder.
libraries_of()
{
    local programs
    mapfile -t programs < <(find "$1" -type f \( -perm -100 -o -name '*.so.*' \) -exec sh -c 'head -c 4 "$1" | grep -q ELF' _ {} \; -print)
    [ "${#programs[@]}" -gt 0 ] || return 0
    mkdir -p "$work/debian"
    : >"$work/debian/control"
    (cd "$work" && dpkg-shlibdeps -O "${programs[@]/#/-e}" 2>/dev/null) | sed 's/^shlibs:Depends=//'
}

# field NAME LIST...: a line of the control file; none if the lists are empty.
field()
{
    local name=$1 list
    shift
    list=$(printf '%s\n' "$@" | sed '/^ *$/d; s/^ *//; s/ *$//' | paste -sd , | sed 's/,  */, /g; s/,\([^ ]\)/, \1/g')
    [ -z "$list" ] || printf '%s: %s\n' "$name" "$list"
}

write_control()
{
    local root=$1
    {
        printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nSection: %s\nPriority: optional\n' \
            "$name" "$version" "$architecture" "$maintainer" "$section"
        printf 'Installed-Size: %s\n' "$(du -k --apparent-size -s --exclude=DEBIAN "$root" | cut -f1)"
        field Depends "$(libraries_of "$root")" "${depends//VERSION/$version}"
        field Recommends "${recommends//HDF5/$(hdf5_package)}"
        field Suggests "$suggests"
        printf 'Description: %s\n%s' "$summary" "$description"
    } >"$root/DEBIAN/control"
    (cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
}

# Debian's folder for the libraries of one kind of machine, which compilers for another kind do not search.
use_multiarch()
{
    local lib=$1/usr/lib triplet
    triplet=$("${CC:-cc}" -print-multiarch)
    [ -n "$triplet" ] || return 0
    mkdir -p "$lib/$triplet"
    find "$lib" -maxdepth 1 \( -name 'libtrainyard*' -o -name pkgconfig -o -name cmake \) -exec mv {} "$lib/$triplet" \;
    rmdir --ignore-fail-on-non-empty "$lib/$triplet"
    # trainyard.pc and trainyardConfig.cmake: from this folder to the prefix.
    find "$lib" \( -name '*.pc' -o -name '*Config.cmake' \) -exec sed -i 's,libdir}/\.\.[./]*,libdir}/../..,' {} +
}

make_package()
{
    local root=$work/$name
    [[ $only = "  " || $only = *" $name "* ]] || return 0
    mkdir -p "$root/DEBIAN"
    cmake --install "$build" --component "$component" --prefix "$root/usr" --strip >/dev/null
    # Headers and modules are of no use without the library.
    [[ $name != *trainyard-dev && $name != python3-* ]] || [ -e "$build/sim/library/libtrainyard.a" ] || rm -rf "${root:?}/usr"
    [ -d "$root/usr" ] || { echo "package: nothing is installed for $name: it was not built" >&2; return; }
    [ ! -d "$root/usr/lib" ] || use_multiarch "$root"
    [ "$architecture" = all ] || architecture=$machine
    add_documents "$name" "$root"
    add_parts "$name" "$root"
    write_control "$root"
    find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group --build "$root" "$out/${name}_${version}_$architecture.deb" | sed "s/^dpkg-deb: //"
}

# Reads the table; a package is made when its description is complete.
name=
while IFS= read -r line; do
    case $line in
    "#"*) continue ;;
    " "*) description+=$line$'\n' ;;
    *)
        [ -z "$name" ] || make_package
        IFS='|' read -r name component architecture section depends recommends suggests summary <<<"$line"
        name=${name// /} component=${component// /} architecture=${architecture// /} section=${section// /} summary=${summary# }
        description=
        ;;
    esac
done <tools/package/packages.txt
make_package

# Sourced by the other scripts with their arguments: a script's manual is the comment at its head, which --help prints.
# shellcheck shell=bash
usage_of=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/${0##*/}

usage()
{
    sed -n '2,$ { /^#/!q; s/^# \{0,1\}//; p }' "$usage_of"
}

# Ends a script with wrong arguments.
wrong_usage()
{
    usage >&2
    exit 2
}

case ${1:-} in
-h | --help)
    usage
    exit 0
    ;;
esac

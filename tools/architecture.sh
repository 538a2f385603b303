#!/usr/bin/env bash
# Checks that folders use each other as the tables in their READMEs say (tools/architecture.py has the rules).
#
#   tools/architecture.sh [BUILD_FOLDER]     (default: builds preset release)
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh
if [ $# -eq 0 ]; then
    cmake --preset release >/dev/null
    cmake --build --preset release
fi
exec /usr/bin/python3 tools/architecture.py "${1:-build/release}"

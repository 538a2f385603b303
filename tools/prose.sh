#!/usr/bin/env bash
# Finds words that this project does not use in comments, messages and documents (tools/prose.py has the list).
#
#   tools/prose.sh            checks the whole project
#   tools/prose.sh PATH...    checks these folders or files
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/usage.sh
exec /usr/bin/python3 tools/prose.py "$@"

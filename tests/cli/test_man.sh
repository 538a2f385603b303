#!/usr/bin/env bash
# The manual pages: one for each verb, with every option that --help lists, and without a warning of the formatter.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

example "a page for the program and each verb"
trainyard help --man "$work/man"
exit_is 0
stdout_is_empty
stderr_is_empty
holds [ -s man/trainyard.1 ]

for page in man/trainyard-*.1; do
    verb=${page#man/trainyard-}
    verb=${verb%.1}
    example "the page of $verb"
    trainyard help "$verb"
    exit_is 0
    while read -r option; do
        holds grep -qF -e "\\fB\\-\\-${option//-/\\-}\\fR" "$page"
    done < <(sed -n 's/^ \{2\}\(-., \|    \)--\([a-z-]*\).*/\2/p' stdout)
    holds grep -q '^\.SH EXAMPLES$' "$page"
done

example "the formatter has nothing to say"
if [ -n "$(command -v groff)" ]; then
    for page in man/*.1; do
        groff -man -Tutf8 -ww -z "$page" 2>>warnings
    done
    pass_or_fail "groff warns: $(head -n 3 warnings)" [ ! -s warnings ]
fi
if [ -n "$(command -v mandoc)" ]; then
    for page in man/*.1; do
        # A page has no date, so that each build makes the same bytes.
        mandoc -T lint -W warning "$page" | grep -v 'missing date' >>lint
    done
    pass_or_fail "mandoc reports: $(head -n 3 lint)" [ ! -s lint ]
fi
if [ -n "$(command -v man)" ]; then
    for page in man/*.1; do
        LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>>reported >/dev/null
    done
    pass_or_fail "man reports: $(head -n 3 reported)" [ ! -s reported ]
fi
finish

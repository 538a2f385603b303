#!/usr/bin/env bash
# trainyard az-env that fails: a shell that evaluates its output must notice, and must not use the user's own login of az.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"
# shellcheck source=tests/cli/served.sh
source "$source_folder/tests/cli/served.sh"
needs timeout
export HOME=$work/home TMPDIR=$work/tmp
mkdir home tmp

# An az that says where its login is.
mkdir bin
cat >bin/az <<'END'
#!/bin/sh
config=${AZURE_CONFIG_DIR:-$HOME/.azure}
[ "$config" != "$HOME/.azure" ] || { echo "az: the user's own login"; exit; }
[ ! -d "$config" ] || [ -n "$(ls -A "$config")" ] || { echo "az: an empty folder"; exit; }
echo "az: $config"
END
chmod +x bin/az
PATH=$work/bin:$PATH

# The shells of this machine that evaluate the code of --shell sh.
shells=(bash dash)
for shell in zsh ksh mksh "busybox sh"; do
    ! command -v "${shell%% *}" >/dev/null || shells+=("$shell")
done

# is_guarded [OPTION]...: every shell notices that az-env fails with these options, and az has an empty folder in all of them.
# shellcheck disable=SC2317 # holds calls it
is_guarded()
{
    local shell command="\"\$TRAINYARD\" az-env $*" all=0
    for shell in "${shells[@]}"; do
        # shellcheck disable=SC2086 # "busybox sh" are two words
        TRAINYARD=$TRAINYARD $shell -c "eval \"\$($command)\"; echo \"eval: \$?\"; az group delete" >stdout 2>stderr
        grep -qE '^eval: [1-9]' stdout && grep -qxF 'az: an empty folder' stdout || { echo "in $shell"; all=1; }
        # shellcheck disable=SC2086
        ! TRAINYARD=$TRAINYARD $shell -ec "eval \"\$($command)\"; echo continues" >stdout 2>stderr || { echo "in $shell -e"; all=1; }
    done
    ! command -v fish >/dev/null ||
        TRAINYARD=$TRAINYARD fish -c "$command --shell fish | source; echo \"eval: \$status\"; az group delete" >stdout 2>stderr
    ! command -v fish >/dev/null ||
        { grep -qE '^eval: [1-9]' stdout && grep -qxF 'az: an empty folder' stdout; } || { echo "in fish"; all=1; }
    return $all
}

example "no emulator"
holds is_guarded
holds is_guarded --no-proxy
trainyard az-env
exit_is 2
stderr_begins 'trainyard-state: no emulator serves this folder'
trainyard az-env --shell powershell
exit_is 2
holds grep -qE "^\\\$env:AZURE_CONFIG_DIR = '/.*'\$" stdout
holds grep -qE "^throw '" stdout

example "wrong options"
for options in --wrong --version "--shell tcsh" operand "--state ''"; do
    holds is_guarded "$options"
done

example "help is help, also in a pipe"
for option in --help -h; do
    trainyard az-env $option
    exit_is 0
    holds [ "$(head -n 1 stdout)" = 'Usage: trainyard az-env [OPTION]...' ]
    holds [ "$(grep -c "\`" stdout)" = 0 ] # a shell that evaluates the help would run what is between two
done

example "a program that cannot be started"
mkdir alone
cp "$TRAINYARD" alone/trainyard
holds env TRAINYARD="$work/alone/trainyard" "$BASH" -c "$(declare -f is_guarded); $(declare -p shells); is_guarded"
printf '#!/nowhere\n' >alone/trainyard-az-env
holds env TRAINYARD="$work/alone/trainyard" "$BASH" -c "$(declare -f is_guarded); $(declare -p shells); is_guarded"
chmod +x alone/trainyard-az-env
holds env TRAINYARD="$work/alone/trainyard" "$BASH" -c "$(declare -f is_guarded); $(declare -p shells); is_guarded"

example "a folder that cannot be made"
TMPDIR=$work/nowhere trainyard az-env
stdout_has "export AZURE_CONFIG_DIR='/dev/null/az'"

example "an emulator: the guard is taken back"
holds serve
rm -rf tmp && mkdir tmp
for shell in "${shells[@]}"; do
    # shellcheck disable=SC2086
    holds $shell -ec "eval \"\$('$TRAINYARD' az-env)\" && [ \"\$(az)\" = \"az: $work/trainyard-state/az\" ]"
done
! command -v fish >/dev/null ||
    holds fish -c "'$TRAINYARD' az-env --shell fish | source; and test (az) = 'az: $work/trainyard-state/az'"
for shell in bash zsh; do
    ! command -v $shell >/dev/null ||
        holds $shell -ec "eval \"\$('$TRAINYARD' az-env --shell $shell)\" && [ \"\$(az)\" = \"az: $work/trainyard-state/az\" ]"
done
holds [ -z "$(ls -A tmp)" ]
trainyard az-env --shell powershell
exit_is 0
holds [ "$(grep -c throw stdout)" = 0 ]

example "the variables as JSON are those of the shell; a failure prints none"
trainyard az-env --json
exit_is 0
cp stdout variables.json
holds /usr/bin/python3 - "$TRAINYARD" <<'PYTHON'
import json, os, subprocess, sys
start = dict(os.environ, MSI_SECRET="mine", AZURE_CLOUD_NAME="mine")
shell = subprocess.run(["sh", "-c", 'eval "$("$1" az-env)" && env -0', "sh", sys.argv[1]], env=start, check=True, stdout=subprocess.PIPE)
evaluated = dict(line.split("=", 1) for line in shell.stdout.decode().split("\0") if line)
variables = json.load(open("variables.json"))
assert variables["MSI_SECRET"] is None and variables["HTTPS_PROXY"].startswith("http://127.0.0.1:")
wanted = {name: value for name, value in {**start, **variables}.items() if value is not None}
for name in wanted.keys() | evaluated.keys():
    assert name in ("_", "PWD", "OLDPWD", "SHLVL") or wanted.get(name) == evaluated.get(name), name
PYTHON
trainyard az-env --json --state nowhere
exit_is 2
stdout_is_empty

example "killed before it is done: a FIFO where it reads keeps it waiting"
mkdir waiting
mkfifo waiting/serve.json
{ timeout -s KILL 1 "$(dirname "$TRAINYARD")/trainyard-az-env" --state waiting >stdout; } 2>stderr
holds grep -q '^export AZURE_CONFIG_DIR=' stdout
for shell in "${shells[@]}"; do
    # shellcheck disable=SC2086
    holds $shell -c '! eval "$(cat stdout)" && [ "$(az)" = "az: an empty folder" ]'
done

example "no certificate"
mv trainyard-state/ca-bundle.pem kept.pem
holds is_guarded
trainyard az-env
exit_is 2
stderr_has "the emulator's certificate cannot be read"
mv kept.pem trainyard-state/ca-bundle.pem

example "an emulator without a proxy, a damaged folder, an emulator that was killed"
end TERM
holds serve --no-proxy
holds is_guarded
holds "$BASH" -c "eval \"\$('$TRAINYARD' az-env --no-proxy)\""
cp trainyard-state/serve.json kept.json
echo '{}' >trainyard-state/serve.json
holds is_guarded
cp kept.json trainyard-state/serve.json
end KILL
holds is_guarded

finish

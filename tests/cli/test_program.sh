#!/usr/bin/env bash
# The program itself: help, version, verbs that exist and verbs that do not, a full disk.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

# The last of these are separate programs.
verbs=(run validate test explain diff report schema completion
    train evaluate make-cifar bench-training bench-allreduce)
# Not where the emulator's libraries are missing.
[ ! -x "$(dirname "$TRAINYARD")/trainyard-serve" ] || verbs+=(serve az-env export)

example "help and version"
trainyard --help
exit_is 0
stdout_has "Usage: trainyard"
stderr_is_empty
trainyard --version
exit_is 0
holds grep -qE '^trainyard [0-9]+\.[0-9]+\.[0-9]+$' stdout
trainyard
exit_is 2
stdout_is_empty
stderr_has "Usage: trainyard"

for verb in "${verbs[@]}"; do
    example "help of $verb"
    trainyard "$verb" --help
    exit_is 0
    stdout_has "Usage: trainyard $verb"
    stdout_has "Example"
    has_no_escapes
    trainyard "$verb" --no-such-option
    exit_is 2
    [ "$verb" = az-env ] || stdout_is_empty # it prints a script whose evaluation fails
    stderr_has 'no-such-option'
done

example "a mistyped verb"
trainyard rnu
exit_is 2
stderr_begins 'trainyard: unknown verb "rnu"'
stderr_has 'hint: did you mean "run"?'

example "a mistyped option"
trainyard run --ouptut x small/scenario.json
exit_is 2
stderr_has 'did you mean "--output"?'

example "a verb may be a separate program on PATH"
cat >trainyard-greet <<'SCRIPT'
#!/bin/sh
echo "hello $1"
exit 1
SCRIPT
chmod +x trainyard-greet
PATH=$PWD:$PATH trainyard greet you
exit_is 1
stdout_has "hello you"

example "verbs that are separate programs are listed and explained"
trainyard --help
for verb in "${verbs[@]}"; do
    holds grep -qE "^  $verb +[A-Z].*\.$" stdout
done
trainyard train --help
cp stdout train.help
trainyard help train
exit_is 0
holds cmp stdout train.help
trainyard trian
exit_is 2
stderr_has 'hint: did you mean "train"?'

if [ "$(head -c 4 "$TRAINYARD" | tail -c 3)" = ELF ]; then
    example "a program that was not installed is missed by name"
    mkdir lonely
    cp "$TRAINYARD" lonely/
    PATH=/usr/bin:/bin lonely/trainyard train >stdout 2>stderr
    status=$?
    exit_is 3
    stderr_begins "trainyard: the program trainyard-train is neither in the folder of this program nor on PATH"
    lonely/trainyard help train >stdout 2>stderr
    holds cmp stdout train.help
fi

example "completion loads into bash and knows the verbs"
trainyard completion bash
exit_is 0
cat >complete.sh <<'SCRIPT'
source stdout
function_name=$(complete -p trainyard | sed 's/.* -F \([^ ]*\) .*/\1/')
COMP_WORDS=(trainyard vali)
COMP_CWORD=1
"$function_name" trainyard vali trainyard
echo "${COMPREPLY[@]}"
SCRIPT
holds [ "$(bash complete.sh)" = validate ]

example "the schema is JSON"
trainyard schema
exit_is 0
holds /usr/bin/python3 -c 'import json; json.load(open("stdout"))["properties"]["commands"]'

example "a full disk is the machine's fault"
"$TRAINYARD" schema >/dev/full 2>stderr
status=$?
exit_is 3

example "words that a verb does not know"
trainyard schema jop
exit_is 2
stdout_is_empty
stderr_has 'trainyard: schema: "jop" is not one of scenario|cluster|job|catalog|study|'
stderr_has '  hint: did you mean "job"?'
trainyard completion tcsh
exit_is 2
stdout_is_empty
stderr_begins 'trainyard: completion: "tcsh" is not one of bash|zsh|fish'

example "completion offers every option of every verb"
for shell in bash zsh fish; do
    trainyard completion $shell
    exit_is 0
    cp stdout script.$shell
    [ -z "$(command -v $shell)" ] || holds $shell -n script.$shell
done
for verb in "${verbs[@]}"; do
    trainyard "$verb" --help
    for option in $(grep -oE '^ +(-[a-z], )?--[a-z-]+' stdout | grep -oE -- '--[a-z-]+'); do
        holds grep -qE -e "$option" script.bash
        holds grep -qE -e "$option" script.zsh
        holds grep -qE -e "'__trainyard_verb $verb'.* -l ${option#--}" script.fish
    done
done

example "explain shows the values of commands and their positions"
trainyard explain small/scenario.json --set '/commands/2/do=cluster.resize' --set '/commands/2/target=0' --set '/policy=shortest'
exit_is 0
stdout_has 'cluster.resize gpu target = 0  # --set /commands/2/target=0'
stdout_has 'cluster.resize gpu deallocation = requeue  # default'
stdout_has 'policy = shortest  # --set /policy=shortest'

example "--color may precede the verb"
trainyard --color never run small -q
exit_is 0
trainyard --color=always validate small/nowhere.json
exit_is 2
holds grep -qF $'\033[' stderr
trainyard --color never help run
stdout_has "Usage: trainyard run"
trainyard --color sometimes run small
exit_is 2
stderr_has '"sometimes"'
trainyard --color never
exit_is 2
stderr_has "Usage: trainyard"

finish

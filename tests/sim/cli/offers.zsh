# zsh -f offers.zsh SCRIPT LINE...: prints for each line what zsh offers at its end, in one line, joined by '|' and sorted.
# An interactive zsh completes in a terminal; its compadd, which adds what is offered, prints that first.
zmodload zsh/zpty
zpty inner zsh -f -i
say() { zpty -w inner "$1" }
say 'PROMPT= PS2=; unset zle_bracketed_paste; autoload -U compinit; compinit -u -D'
say "source ./$1"
say 'compadd() {
    local -a hits
    if [[ $@ != *-[OAD]* ]]; then
        builtin compadd -O hits "$@"
        print -l -- "<"$^hits">"
    fi
    builtin compadd "$@"
}'
# The line editor stays open from here to the end: between two lines the terminal is not raw, and would take Control-U as its own key.
say 'finish() { BUFFER=; print EN""D }; zle -N finish; bindkey "^U" finish'
say 'zle-line-init() { print REA""DY }; zle -N zle-line-init'
zpty -r -m inner text '*READY*'
for line in "${@:2}"; do
    zpty -w -n inner "$line"$'\t\x15'
    zpty -r -m inner text '*END*'
    print -r -- "$text" | tr -d '\r' | grep -o '<[^<>]*>' | tr -d '<>' | LC_ALL=C sort -u | paste -sd '|'
done

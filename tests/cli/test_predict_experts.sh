#!/usr/bin/env bash
# trainyard predict for mixtures of experts: counts against published ones and against a second count, layouts, refusals, errors.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

size=Standard_ND96isr_H100_v5
recount=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/experts/recount.py
catalogue=$scenarios/catalog/transformers.json

# Total and active parameters in billions as published (sources in the catalogue), and the last digit of either. DeepSeek-V2-Lite and
# gpt-oss leave the input embedding out of the active ones; DeepSeek-V3 has 37 with and 36.6 without it.
example "models have their published parameters, total and active"
: >models
while read -r model total digit active active_digit embedding; do
    trainyard predict --model "$model" --vm $size --gpus 512 --layout ep=1 --global-batch 512 --json
    cp stdout "$model.json"
    echo "$model.json" >>models
    holds has_json "abs(run['parameters'] / 1e9 - $total) <= $digit"
    holds has_json "abs((run['active_parameters'] - $embedding) / 1e9 - $active) <= $active_digit"
done <<'END'
mixtral-8x7b      46.7  0.05 12.9 0.05 0
mixtral-8x22b     141   0.5  39   0.5  0
dbrx              132   0.5  36   0.5  0
olmoe-1b-7b       6.9   0.05 1.3  0.05 0
qwen1.5-moe-a2.7b 14.3  0.05 2.7  0.05 0
qwen3-30b-a3b     30.5  0.05 3.3  0.06 0
qwen3-235b-a22b   235   0.5  22   0.5  0
deepseek-v2-lite  15.7  0.05 2.4  0.06 209715200
deepseek-v2       236   0.5  21   0.5  0
deepseek-v3       671   0.5  37   0.6  0
gpt-oss-20b       20.9  0.05 3.6  0.05 579133440
gpt-oss-120b      116.8 0.05 5.1  0.05 579133440
END

example "a second count of tensors and operations agrees to the last digit"
holds /usr/bin/python3 "$recount" "$catalogue" models <models

# Balanced experts, so that each copy of a token can be followed.
balanced=(--catalog balanced.json)
cat >balanced.json <<'END'
{"catalog": 1, "description": "balanced experts", "sources": {"test": {"title": "this test", "date": "2026"}},
 "transformer_routing": {"any": {
   "imbalance": {"value": "100%", "source": "test"}, "all_to_all": {"value": "100%", "source": "test"},
   "exposed": {"value": "100%", "source": "test"}, "error": {"value": "60%", "source": "test"}}}}
END

example "memory and all-to-all are those of ranks that are followed one by one"
while read -r model gpus layout; do
    trainyard predict --model "$model" --vm $size --gpus "$gpus" --layout "$layout" --global-batch 64 --json "${balanced[@]}"
    cp stdout layout.json
    exit_is 0
    holds /usr/bin/python3 "$recount" "$catalogue" layout layout.json
done <<'END'
olmoe-1b-7b 16 ep=8,zero1,mb=1,recompute=none
mixtral-8x7b 32 tp=2,ep=8,zero1,mb=1,recompute=none
mixtral-8x7b 32 tp=4,ep=8,no-etp,fsdp,mb=1,recompute=none
mixtral-8x7b 32 tp=8,ep=1,zero1,mb=1,recompute=none
mixtral-8x7b 64 tp=2,cp=2,pp=2,ep=8,zero1,mb=1,recompute=full
deepseek-v2-lite 32 ep=32,zero1,mb=1,recompute=none
deepseek-v2-lite 32 tp=4,pp=4,ep=8,no-etp,zero1,mb=1,recompute=full
gpt-oss-20b 64 cp=2,ep=16,fsdp,mb=1,recompute=none
END

example "more expert ranks take less memory of experts, and send more"
before=0 sent=-1
for ep in 8 4 2 1; do
    trainyard predict --model olmoe-1b-7b --vm $size --gpus 64 --layout ep=$ep,zero1,mb=1,recompute=none --json
    holds has_json "run['memory']['experts_bytes'] > $before"
    holds has_json "run['all_to_all']['within_node_bytes'] < $((sent < 0 ? 1 << 40 : sent)) and (run['split_ms']['experts'] > 0) == ($ep > 1)"
    before=$(/usr/bin/python3 -c "import json; print(json.load(open('stdout'))['memory']['experts_bytes'])")
    sent=$(/usr/bin/python3 -c "import json; print(int(json.load(open('stdout'))['all_to_all']['within_node_bytes']))")
done

example "a prediction for people"
trainyard predict --model mixtral-8x7b --vm $size --gpus 64 --layout ep=8,zero1 --tokens 1T
exit_is 0
stdout_has "sequences of 4096 tokens, 512 a step; 46.7 billion parameters"
stdout_has "a token uses 12.9 billion of them: 2 of 8 experts of a layer; the busiest rank takes 125 % of the mean number of tokens"
stdout_has "exposed all-to-all of tokens to experts and back"
holds grep -qE '^  in an all-to-all the busiest rank receives [0-9.]+ GiB, 0.000 GiB of it from other nodes$' stdout
stdout_has "peak by active parameters, attention as computed"
holds grep -qE '^  experts [0-9.]+, routed tokens [0-9.]+, all-to-all [0-9.]+$' stdout
stdout_has "assumed: tokens of the busiest rank's experts, relative to the mean: 125%"
stdout_has "unmeasured: no training of a mixture of experts is among the measurements"
trainyard predict --model deepseek-v3 --vm $size --gpus 512 --layout pp=8,ep=64,zero1
stdout_has "512 a step; 671 billion parameters"
stdout_has "billion of them: 8 of 256 experts of a layer, and 1 shared"
trainyard predict --model bert-large --vm $size
stdout_has "million parameters"

example "the same as JSON: the parts add up, and MFU is of active parameters"
trainyard predict --model mixtral-8x7b --vm $size --gpus 64 --layout ep=8,zero1 --json
exit_is 0
holds has_json "abs(sum(run['split_ms'].values()) - run['step_ms']) < 1e-3 and run['split_ms']['experts'] > 0"
holds has_json "sum(run['memory'].values()) == 2 * run['memory']['total_bytes'] and run['memory']['all_to_all_bytes'] > 0"
holds has_json "run['experts'] == {'count': 8, 'per_token': 2, 'shared': 0, 'layers': 32, 'imbalance': 1.25}"
holds has_json "abs(run['mfu']['attention_as_computed'] * 64 * 989e12 * run['step_ms'] / 1000 / (run['flops_per_token'] * 512 * run['sequence']) - 1) < 1e-3"
holds has_json "run['flops_per_token'] < 6.6 * run['active_parameters']"

example "a dense model has none of it"
trainyard predict --model llama3-8b --vm $size --gpus 8 --json
holds has_json "not any(key in run for key in ('experts', 'active_parameters', 'all_to_all')) and 'experts' not in run['split_ms'] and 'experts_bytes' not in run['memory']"

example "the uncertainty is that of networks without any measurement, at least"
trainyard predict --model llama3-8b --vm $size --gpus 8 --layout fsdp --json
dense=$(/usr/bin/python3 -c "import json; print(json.load(open('stdout'))['uncertainty_pct'])")
trainyard predict --model olmoe-1b-7b --vm $size --gpus 8 --layout fsdp --json
holds has_json "abs(run['uncertainty_pct'] - (60 ** 2 + $dense ** 2) ** 0.5) < 0.2"
trainyard predict --model olmoe-1b-7b --vm $size --gpus 8 --layout fsdp
holds grep -qE '^tokens/s +[0-9,]+ +[0-9,]+ to [0-9,]+$' stdout

example "the best layout is not slower than others, and its text is that layout"
trainyard predict --model qwen3-30b-a3b --vm $size --gpus 64 --json
exit_is 0
best=$(/usr/bin/python3 -c "import json; run = json.load(open('stdout')); print(run['layout'], run['step_ms'])")
trainyard predict --model qwen3-30b-a3b --vm $size --gpus 64 --layout "${best% *}" --json
holds has_json "abs(run['step_ms'] / ${best#* } - 1) < 1e-9 and run['layouts']['combinations'] == 1"
for layout in ep=8,zero1 ep=16,fsdp tp=4,ep=8,no-etp pp=4,ep=8; do
    trainyard predict --model qwen3-30b-a3b --vm $size --gpus 64 --layout $layout --json
    holds has_json "not run['fits'] or run['step_ms'] >= ${best#* } * (1 - 1e-9)"
done

example "less balanced experts are slower and take more memory"
cat >own.json <<'END'
{
  // As Mixtral 8x7B, with a router that balances worse.
  "layers": 32, "hidden": 4096, "mlp": 14336, "heads": 32, "kv_heads": 8, "vocabulary": 32000, "sequence": 4096,
  "experts": {"count": 8, "per_token": 2, "imbalance": "200%"}
}
END
trainyard predict --model mixtral-8x7b --vm $size --gpus 64 --layout ep=8,fsdp,mb=1,recompute=full --json
step=$(/usr/bin/python3 -c "import json; run = json.load(open('stdout')); print(run['step_ms'])")
trainyard predict --model own.json --vm $size --gpus 64 --layout ep=8,fsdp,mb=1,recompute=full --json
holds has_json "run['step_ms'] > 1.1 * $step and run['experts']['imbalance'] == 2 and any('of the model: tokens of the busiest' in line for line in run['basis'])"

example "what cannot be is refused with its place and a hint"
sed 's/"per_token": 2/"per_token": 9/' own.json >wrong.json
trainyard predict --model wrong.json --vm $size --gpus 64
exit_is 2
stderr_begins "wrong.json:4:14: a token takes 9 of 8 experts"
stderr_has "per_token is at most count"
sed 's/"per_token"/"per_tokens"/' own.json >wrong.json
trainyard predict --model wrong.json --vm $size --gpus 64
exit_is 2
stderr_has "wrong.json:4:"
stderr_has 'did you mean "per_token"?'
for imbalance in 0% 90% 401%; do
    sed "s/200%/$imbalance/" own.json >wrong.json
    trainyard predict --model wrong.json --vm $size --gpus 64
    exit_is 2
    stderr_begins "wrong.json:4:56: imbalance is \"$imbalance\", expected 100% to 400%"
    stderr_has "a token takes an expert once"
done
for member in '"shared_mlp": 512' '"shared_gate": true'; do
    sed "s/\"imbalance\": \"200%\"/$member/" own.json >wrong.json
    trainyard predict --model wrong.json --vm $size --gpus 64
    exit_is 2
    stderr_has "${member%%:*} is for a model with shared experts"
    stderr_has '"shared" is their number'
done
sed 's/{"count".*}/8/' own.json >wrong.json
trainyard predict --model wrong.json --vm $size --gpus 64
exit_is 2
stderr_begins "wrong.json:4:14: this mixture of experts is 8, expected an object"
sed 's/"experts":/"head_width": 64, "latents": {"keys": 512, "head": 128, "rotary": 64, "value": 128}, "experts":/; s/"kv_heads": 8, //' own.json >wrong.json
trainyard predict --model wrong.json --vm $size --gpus 64
exit_is 2
stderr_has "a model with latents has no head_width"
stderr_has "the latents have head, rotary and value"
trainyard predict --model mixtral-8x7b --vm $size --gpus 64 --layout ep=3
exit_is 2
stderr_has "ep=3: ep does not divide the number of experts of a layer"
stderr_has 'there are 64 GPUs, 32 layers, 32 heads, MLPs of width 14336, 8 experts of width 14336; "best" finds the possible layouts'
trainyard predict --model llama3-8b --vm $size --gpus 64 --layout tp=3
exit_is 2
stderr_has "tp=3: tp x cp x dp x pp is not the number of GPUs"
stderr_has 'there are 64 GPUs, 32 layers, 32 heads, MLPs of width 14336; "best" finds the possible layouts'
trainyard predict --model mixtral-8x7b --vm $size --gpus 64 --layout tp=8,ep=8,pp=2
exit_is 2
stderr_has "ep does not divide dp x cp (with no-etp it must divide tp x cp x dp)"
trainyard predict --model llama3-8b --vm $size --gpus 64 --layout ep=8
exit_is 2
stderr_has "ep divides experts, and this model has none: leave ep out"
trainyard predict --model llama3-8b --vm $size --gpus 64 --layout tp=2,no-etp
exit_is 2
stderr_has "this model has no experts"
stderr_has "leave etp and no-etp out"
trainyard predict --model mixtral-8x7b --vm $size --gpus 64 --layout ep=8,ep=4
exit_is 2
stderr_begins "trainyard: predict: --layout:1:6: a second choice of ep"

example "what does not fit says so, and what would"
trainyard predict --model mixtral-8x7b --vm $size --gpus 32 --layout ddp,mb=1 --json
exit_is 1
holds has_json "not run['fits'] and run['memory']['experts_bytes'] > run['memory_of_gpu_bytes'] >= run['nearest_that_fits']['memory']['total_bytes']"
nearest=$(/usr/bin/python3 -c "import json; print(json.load(open('stdout'))['nearest_that_fits']['layout'])")
trainyard predict --model mixtral-8x7b --vm $size --gpus 32 --layout "$nearest" --json
exit_is 0

finish

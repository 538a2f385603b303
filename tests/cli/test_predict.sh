#!/usr/bin/env bash
# trainyard predict: its output, its refusals, and that one GPU is as fast as measured.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

example "a prediction as JSON, from any folder"
mkdir elsewhere
cd elsewhere || exit 3
trainyard predict --model resnet50 --vm Standard_NC24r --gpus 8 --batch 64 --framework tf1.8-horovod0.13.2 \
    --collective mpi-host --network ib-fdr --json
cd "$work" || exit 3
exit_is 0
stderr_is_empty
holds has_json "set(run) >= {'images_per_s', 'step_ms', 'split_ms', 'uncertainty_pct'}"
holds has_json "set(run['split_ms']) == {'input', 'compute', 'exchange', 'wait'}"
holds has_json "abs(sum(run['split_ms'].values()) - run['step_ms']) < 1e-5"
holds has_json "abs(run['images_per_s'] - 8 * 64 * 1000 / run['step_ms']) < 0.01"
holds has_json "(run['model'], run['vm'], run['gpus'], run['nodes'], run['batch']) == ('resnet50', 'Standard_NC24r', 8, 2, 64)"
holds has_json "(run['framework'], run['collective'], run['network']) == ('tf1.8-horovod0.13.2', 'mpi-host', 'ib-fdr')"
holds has_json "0 < run['uncertainty_pct'] < 100 and all(isinstance(line, str) for line in run['basis'])"
cp stdout first.json

example "the same question has the same answer, and defaults are what help says"
trainyard predict -m RESNET50 --vm standard_nc24R -n 8 --json
exit_is 0
holds cmp stdout first.json

example "a prediction for people"
trainyard predict --model resnet50 --vm Standard_NC24r --gpus 8
exit_is 0
stdout_has "resnet50 at batch 64 with tf1.8-horovod0.13.2, mpi-host: 8 GPUs on 2 nodes of Standard_NC24r (K80)"
stdout_has "images/s"
stdout_has "measured: 53.02 images/s with tf-1.8-benchmarks at batch 64 on one K80, Standard_NC24r"
stdout_has "modelled: horovod-0.13.2-mpi over ib-fdr"
has_no_escapes

example "what one process exchanges with itself is as much at any batch"
for batch in 1 64 1024; do
    trainyard predict -m resnet50 --vm Standard_NC24r -b $batch --json
    holds has_json "abs(run['split_ms']['exchange'] - 23.2044) < 0.001"
    holds has_json "any('adds 23.20 ms at batch 64' in line for line in run['basis'])"
    holds has_json "any('the same at batch $batch,' in line for line in run['basis']) == ($batch != 64)"
done

example "a row that was measured with a process of an exchange says so"
trainyard predict -m resnet152 --vm Standard_NC24rs_v3 -f pytorch0.4.1-horovod0.15.1 -c mpi-host
stdout_has "with pytorch-0.4.1 and one process of horovod-0.15.1-nccl at batch 64"
holds [ -z "$(grep 'cost of one process' stdout)" ]
trainyard predict -m vgg16 --vm Standard_NC24rs_v3
stdout_has "modelled: a single process of horovod-0.13.2-mpi adds 9.60 ms"

example "a network with other images than the measured ones has a caveat at the top"
trainyard predict -m mobilenetv2 --vm Standard_NC24r
holds [ "$(sed -n 2p stdout)" = "caveat: images of 3 x 224 with 224 channels, about 1/56 of the network's arithmetic" ]
trainyard predict -m mobilenetv2 --vm Standard_NC24r -n 8 --json
holds has_json "'about 1/56' in run['caveat']"
trainyard predict -m mobilenetv2 --vm Standard_NV6 --json
holds has_json "run['caveat'] is None"
trainyard predict -m resnet50 --vm Standard_NC24r
holds [ -z "$(sed -n 2p stdout)" ]

example "what does not fit into the memory of a GPU is said not to"
trainyard predict -m resnet50 --vm Standard_NC24r -b 1024
exit_is 0
stdout_has "of 12.0 on one K80"
stdout_has "Warning: the training does not fit into the memory of one K80."
stdout_has "A batch of 162 or less may fit."
trainyard predict -m resnet50 --vm Standard_NC24r -b 163
stdout_has "A batch of 162 or less may fit."
trainyard predict -m resnet50 --vm Standard_NC24r -b 162
holds [ -z "$(grep Warning stdout)" ]
trainyard predict -m resnet50 --vm Standard_NC24r -b 1024 --json
holds has_json "not run['memory']['may_fit'] and run['memory']['needs_at_least_bytes'] > run['memory']['has_bytes'] == 12 << 30 and run['memory']['batch_most'] == 162"
trainyard predict -m resnet50 --vm Standard_NC24r -b 64
holds [ -z "$(grep Warning stdout)" ]
trainyard predict -m resnet50 --vm Standard_NC24r -b 64 --json
holds has_json "run['memory']['may_fit'] and 4 << 30 < run['memory']['needs_at_least_bytes'] < 8 << 30"

example "the uncertainty grows with the distance from measurements, in both directions"
before=0
for batch in 32 31 16 8 1; do
    trainyard predict -m resnet18_cifar --vm Standard_NC6 -f pytorch-gavel -b $batch --json
    holds has_json "run['uncertainty_pct'] > $before"
    before=$(/usr/bin/python3 -c "import json; print(json.load(open('stdout'))['uncertainty_pct'])")
done
holds has_json "run['uncertainty_pct'] > 50"
before=0
for batch in 256 257 512 4096; do
    trainyard predict -m resnet18_cifar --vm Standard_NC6 -f pytorch-gavel -b $batch --json
    holds has_json "run['uncertainty_pct'] > $before"
    before=$(/usr/bin/python3 -c "import json; print(json.load(open('stdout'))['uncertainty_pct'])")
done

example "a prediction without measurements says so"
trainyard predict --model vgg16 --vm Standard_ND96isr_H100_v5
exit_is 0
stdout_has "computed: vgg16 was not measured on one H100"
trainyard predict --model keras_cifar10_cnn --vm Standard_NC6 --framework keras2.2-tf1.8 --batch 32
exit_is 0
stdout_has "computed: keras_cifar10_cnn was not measured on one K80"
trainyard predict --model vgg16 --vm Standard_NC6 --framework keras2.2-tf1.8 --json
holds has_json "any('assumed: keras-2.2-tf-1.8 is as fast' in line for line in run['basis'])"
keras=$(/usr/bin/python3 -c "import json; print(json.load(open('stdout'))['images_per_s'])")
trainyard predict --model vgg16 --vm Standard_NC6 --framework tf1.8 --json
holds has_json "abs(run['images_per_s'] / $keras - 1) < run['uncertainty_pct'] / 100"

# The log that the constants of keras-2.2-tf-1.8 come from.
example "Keras' MNIST on one K80 is as fast as measured"
trainyard predict --model keras_mnist_cnn --vm Standard_NC6 --framework keras2.2-tf1.8 --batch 128 --json
holds has_json "abs(run['images_per_s'] / 7576 - 1) < 0.02"

# Rows of ResNet-50 at batch 64: VM size, software, images/s, collective or nothing.
example "one GPU is as fast as measured"
while read -r vm framework measured collective; do
    trainyard predict --model resnet50 --vm "$vm" --framework "$framework" ${collective:+--collective "$collective"} --json
    exit_is 0
    holds has_json "abs(run['images_per_s'] / $measured - 1) < 0.003 and run['split_ms']['wait'] == 0"
done < <(/usr/bin/python3 - "$scenarios/catalog/throughput.json" <<'END'
import json, sys

catalog = json.load(open(sys.argv[1]))
rows = [row for row in catalog["throughputs"] if row["network"] == "resnet50" and row["source"] in
        ("tf-benchmark", "tf-benchmark-horovod", "pytorch-benchmark")]
stacks = {"pytorch-0.4.0": "pytorch0.4.0-horovod0.13.2", "pytorch-0.4.1": "pytorch0.4.1-horovod0.15.1"}
for row in rows:
    exchange = row.get("exchange", "")
    stack = stacks.get(row["framework"], "tf1.8-horovod0.13.2" if exchange else "tf1.8")
    collective = "nccl" if exchange.endswith("nccl") else "mpi-host" if exchange else ""
    print(row["note"].split(":")[0], stack, row["samples_per_s"], collective)
END
)

example "more GPUs are never more than so many times one"
for collective in mpi-host nccl; do
    before=0
    for gpus in 1 2 4 8 16 32; do
        trainyard predict -m resnet152 --vm Standard_NC24rs_v3 -n $gpus -c $collective --json
        # A second node may slow rings down more than its GPUs add: Ethernet has a tenth of the rate inside a node.
        [ $collective-$gpus != nccl-8 ] || before=0
        holds has_json "run['images_per_s'] > $before"
        [ $gpus -gt 1 ] || one=$(/usr/bin/python3 -c "import json; print(json.load(open('stdout'))['images_per_s'])")
        holds has_json "run['images_per_s'] <= $gpus * $one"
        before=$(/usr/bin/python3 -c "import json; print(json.load(open('stdout'))['images_per_s'])")
    done
done

example "one node keeps to the wire that is asked for, and says when it goes through its adapter"
trainyard predict -m vgg16 --vm Standard_ND40rs_v2 -n 8 -w ethernet --json
holds has_json "run['network'] is None and not any('adapter' in line for line in run['basis'])"
one=$(/usr/bin/python3 -c "import json; print(json.load(open('stdout'))['split_ms']['exchange'])")
trainyard predict -m vgg16 --vm Standard_ND40rs_v2 -n 9 -w ethernet --json
holds has_json "run['network'] == 'ethernet' and run['split_ms']['exchange'] > $one"
trainyard predict -m vgg16 --vm Standard_ND40rs_v2 -n 8
stdout_has "modelled: horovod-0.13.2-mpi on one node, through its InfiniBand adapter"

example "a wire says where its rate is from, and that software did not use it"
trainyard predict -m vgg16 --vm Standard_NC24rs_v3 -n 8 -c nccl -w ib-fdr
stdout_has "assumed: InfiniBand of 5.4GB/s: half of 10,807 MB/s"
stdout_has "although horovod-0.13.2-nccl did not use it: Batch AI's InfiniBand is for Intel MPI only"
stdout_has "assumed: an InfiniBand efficiency of 75.7%: 4.09 GB/s between nodes"
trainyard predict -m vgg16 --vm Standard_NC24rs_v3 -n 8 -w ib-fdr
holds [ -z "$(grep 'did not use' stdout)" ]
trainyard predict -m vgg16 --vm Standard_NC24rs_v3 -n 8 -c nccl
stdout_has "assumed: an Ethernet of 10.98Gbit/s: never published for this size"
trainyard predict -m vgg16 --vm Standard_NC6 -n 2
stdout_has "The only value here that comes from a run on several GPUs"
for size in NC6 NC12 NC24; do
    trainyard predict -m vgg16 --vm Standard_$size -n 8 --json
    holds has_json "any('run on several GPUs' in line for line in run['basis']) == ('$size' == 'NC6')"
done

example "a prediction says why it is less certain than others"
trainyard predict -m resnet50 --vm Standard_NC24r -n 8 -c nccl
stdout_has "uncertain: equal runs of NCCL over TCP between nodes of K80 differ by up to two times"
holds grep -qE '^images/s +[0-9.]+   \+10[0-9] % -50 %$' stdout
trainyard predict -m resnet50 --vm Standard_NC24rs_v3 -n 32
stdout_has "uncertain: static routes of InfiniBand may meet"
trainyard predict -m resnet50 --vm Standard_NC24rs_v3 -n 4 -c nccl -f pytorch0.4.0-horovod0.13.2
stdout_has "uncertain: read in the source code only"
trainyard predict -m resnet50 --vm Standard_NC24rs_v3 -n 8
holds [ -z "$(grep uncertain stdout)" ]

example "one ring over Ethernet has the rate that two published runs on two nodes give"
holds "$source_folder/tools/connection_rate.py" "$TRAINYARD"
trainyard predict -m resnet50 --vm Standard_ND24rs -n 8 -c nccl
stdout_has "published: one ring reaches at most 0.52GB/s: tools/connection_rate.py"

example "sizes that differ by InfiniBand alone have the same Ethernet"
for pair in "NC24 NC24r" "NC24s_v2 NC24rs_v2" "NC24s_v3 NC24rs_v3" "ND24s ND24rs"; do
    for size in $pair; do
        trainyard predict -m vgg16 --vm Standard_$size -n 8 -w ethernet --json
        cp stdout "$size"
    done
    read -r without with <<<"$pair"
    holds [ "$(grep '"step_ms"' "$without")" = "$(grep '"step_ms"' "$with")" ]
done

example "the simulator takes the same steps, and explains what they rest on"
measured=(--set /catalog/1=catalog/throughput.json --set /programs/0/model=resnet50 --set /programs/0/batch_per_rank=64
    --set /programs/0/framework=tf-1.8-benchmarks --set /programs/0/exchange=horovod-0.13.2-mpi --set /programs/0/jitter=own-nodes)
trainyard predict -m resnet50 --vm Standard_NC6 -n 2 --json
predicted=$(/usr/bin/python3 -c "import json; print(json.load(open('stdout'))['step_ms'])")
trainyard run "$scenarios/recipes/horovod-tensorflow/scenario.json" "${measured[@]}" --json
holds has_json "abs(run['jobs']['horovod_tensorflow']['step_ms']['mean'] / $predicted - 1) < 0.005"
trainyard explain "$scenarios/recipes/horovod-tensorflow/scenario.json" "${measured[@]}"
exit_is 0
stdout_has "throughputs/K80/resnet50/tf-1.8-benchmarks/batch 64 = 53.020000 samples/s  # msalvaris/BatchAIHorovodBenchmark"
trainyard explain "$scenarios/recipes/horovod-tensorflow/scenario.json" --set /catalog/1=catalog/throughput.json
holds [ -z "$(grep throughputs/ stdout)" ]

example "a catalogue of one's own changes single values"
cat >fast.json <<'END'
{"catalog": 1,
 "sources": {"wish": {"title": "what if", "date": "today"}},
 "throughputs": [{"gpu": "H100", "network": "resnet50", "framework": "tf-1.8-benchmarks", "batch": 64,
                  "samples_per_s": 4000, "source": "wish"}]}
END
trainyard predict -m resnet50 --vm Standard_ND96isr_H100_v5 --framework tf1.8 --catalog fast.json --json
exit_is 0
holds has_json "abs(run['images_per_s'] - 4000) < 1"
sed -i 's/"H100"/"H10"/' fast.json
trainyard predict -m resnet50 --vm Standard_ND96isr_H100_v5 --catalog fast.json
exit_is 2
stderr_begins 'fast.json:3:26: "H10" is not among the gpus of the catalogue'
stderr_has 'did you mean "H100"?'
trainyard predict -m resnet50 --vm Standard_NC6 --catalog missing.json
exit_is 2

example "the slowest that a catalogue can hold is still a prediction"
cat >slow.json <<'END'
{"catalog": 1,
 "sources": {"wish": {"title": "what if", "date": "today"}},
 "gpus": {"V100": {"peak": {"value": "1Gflop/s", "source": "wish"}, "efficiency": {"value": "0.1%", "source": "wish"},
                   "memory_rate": {"value": "1B/s", "source": "wish"}, "peer_rate": {"value": "1B/s", "source": "wish"}}},
 "vm_sizes": {"Standard_NC24rs_v3": {"network_rate": {"value": "1B/s", "source": "wish"},
                                     "rdma_rate": {"value": "1B/s", "source": "wish"}}}}
END
for option in "-n 1" "-n 4 -c nccl" "-n 8" "-n 8 -w ethernet" "-n 8 -c nccl -w ib-fdr"; do
    # shellcheck disable=SC2086
    trainyard predict -m vgg16 --vm Standard_NC24rs_v3 $option --catalog slow.json --json
    exit_is 0
    holds has_json "run['step_ms'] > 1000 and abs(sum(run['split_ms'].values()) - run['step_ms']) < 1e-5 * run['step_ms']"
done
sed -i 's/"1Gflop/"1flop/' slow.json
trainyard predict -m vgg16 --vm Standard_NC24rs_v3 --catalog slow.json
exit_is 2
stderr_has "peak is 1flop/s, out of range"

example "what cannot be predicted is refused with a hint"
trainyard predict --vm Standard_NC6
exit_is 2
stderr_begins "trainyard: predict: --model is missing"
trainyard predict --model resnet50
exit_is 2
stderr_begins "trainyard: predict: --vm is missing"
trainyard predict --model resnet5 --vm Standard_NC6
exit_is 2
stderr_has 'did you mean "resnet50"?'
trainyard predict --model resnet50 --vm Standard_NC23
exit_is 2
stderr_has 'did you mean "Standard_NC24"?'
trainyard predict --model resnet50 --vm Standard_NC6 --framework tf1.8-horovod0.13.3
exit_is 2
stderr_has 'did you mean "tf1.8-horovod0.13.2"?'
trainyard predict --model resnet50 --vm NC24r
exit_is 2
stderr_has 'did you mean "Standard_NC24r"?'
trainyard predict --model "resnet50 v1.5" --vm Standard_NC6
exit_is 2
stderr_has 'did you mean "resnet50"?'
trainyard predict --model resnet50 --vm Standard_NC6 --framework pytorch
exit_is 2
stderr_has 'known: tf1.8, tf1.8-horovod0.13.2, pytorch0.4.0-horovod0.13.2,'
stderr_has 'keras2.2-tf1.8-horovod0.13'
trainyard predict --model resnet50 --vm nope
exit_is 2
stderr_has 'known: Standard_NC6, Standard_NC12, Standard_NC24, Standard_NC24r,'
trainyard predict --model resnet50 --vm Standard_NC6 --gpus 0
exit_is 2
stderr_has "--gpus"
trainyard predict --model resnet50 --vm Standard_NC6 --collective mpi
exit_is 2
stderr_has "expected one of mpi-host, nccl"
trainyard predict --model resnet50 --vm Standard_NC24 --gpus 8 --network ib-fdr
exit_is 2
stderr_has "Standard_NC24 has no InfiniBand"
trainyard predict --model resnet50 --vm Standard_D1
exit_is 2
stderr_has "Standard_D1 has no GPU"

example "? lists all that there is"
trainyard predict --model "?"
exit_is 0
stderr_is_empty
holds [ "$(grep -cx -e keras_cifar10_cnn -e vgg16 -e mobilenetv2 stdout)" -eq 3 ]
trainyard predict --model resnet50 --vm "?"
exit_is 0
holds grep -qE '^Standard_NC24r +4 x K80$' stdout
holds grep -qE '^Standard_ND96isr_H100_v5 +8 x H100$' stdout
holds [ -z "$(grep Standard_D1 stdout)" ]
trainyard predict --model resnet50 --vm Standard_NC6 --framework "?"
exit_is 0
holds grep -qx keras2.2-tf1.8-horovod0.13 stdout

example "what may be more than twice as much may also be less than half"
trainyard predict -m keras_cifar10_cnn --vm Standard_ND96isr_H100_v5 -f tf1.8 -b 1 --json
holds has_json "run['uncertainty_pct'] > 100"
trainyard predict -m keras_cifar10_cnn --vm Standard_ND96isr_H100_v5 -f tf1.8 -b 1
holds grep -qE '^images/s +[0-9.]+   \+1[0-9]+ % -[56][0-9] %$' stdout

example "the stated uncertainty holds for 19 of 20 estimates of every group"
trainyard predict --coverage --json
exit_is 0
holds has_json "set(run) == {'left_out', 'gpu', 'network', 'software', 'batch_distance'}"
holds has_json "all(20 * group['within'] >= 19 * group['estimates'] > 0 for groups in run.values() for group in groups)"
holds has_json "len({sum(group['estimates'] for group in groups) for groups in run.values()}) == 1"
trainyard predict --coverage
exit_is 0
holds grep -qE '^  the GPU +[0-9]+ of +[0-9]+ +[0-9.]+ %' stdout
printf '{"catalog": 1, "sources": {"wish": {"title": "what if", "date": "today"}}, "throughputs": [{"gpu": "K80", "network": "vgg16",
    "framework": "tf-1.8-benchmarks", "batch": 64, "samples_per_s": 4000, "source": "wish"}]}' >odd.json
trainyard predict --coverage --catalog odd.json --json
holds has_json "any(20 * group['within'] < 19 * group['estimates'] for group in run['network'] if group['name'] == 'vgg16')"

example "help has examples"
trainyard predict --help
exit_is 0
stdout_has "trainyard predict --model resnet50 --vm Standard_NC24r --gpus 8"

finish

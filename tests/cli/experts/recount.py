"""Counts what `trainyard predict` says of mixtures of experts again, from the definition.

The models are built tensor by tensor as their PyTorch modules are, and the ranks of a layout one by one: which rank holds which
part of which tensor, which ranks hold the same part, and how many bytes each token's copies move from rank to rank when all
experts get the same number of tokens. No formula is shared with the program.

    recount.py CATALOGUE models           checks prediction files on stdin, one path a line: parameters, active ones, operations
    recount.py CATALOGUE layout FILE      checks memory and all-to-all bytes of one prediction, whose experts must be balanced
"""

import json
import math
import sys


def shapes_of(path):
    with open(path, encoding="utf-8") as file:
        entries = json.load(file)["transformers"]
    return {name: entry["shape"]["value"] for name, entry in entries.items()}


class Tensor:
    """A matrix or vector of the model: `tokens` says which tokens meet it, all or those of one expert."""

    def __init__(self, layer, shape, expert=None, is_matmul=True):
        self.layer, self.shape, self.expert = layer, shape, expert
        self.is_matmul = is_matmul and len(shape) == 2

    def size(self):
        return math.prod(self.shape)


def mlp(layer, hidden, width, is_gated, has_biases, expert=None):
    yield Tensor(layer, (width, hidden), expert)
    if is_gated:
        yield Tensor(layer, (width, hidden), expert)
    yield Tensor(layer, (hidden, width), expert)
    if has_biases:
        yield Tensor(layer, ((2 if is_gated else 1) * width,), expert)
        yield Tensor(layer, (hidden,), expert)


def attention(layer, model):
    hidden, heads = model["hidden"], model["heads"]
    latents = model.get("latents")
    if latents is None:
        head = model.get("head_width", hidden // heads)
        for count in (heads, model.get("kv_heads", heads), model.get("kv_heads", heads)):
            yield Tensor(layer, (count * head, hidden))
            if model.get("biases"):
                yield Tensor(layer, (count * head,))
        yield Tensor(layer, (hidden, heads * head))
    else:
        query = heads * (latents["head"] + latents["rotary"])
        if latents.get("queries"):
            yield Tensor(layer, (latents["queries"], hidden))
            yield Tensor(layer, (latents["queries"],))
            yield Tensor(layer, (query, latents["queries"]))
        else:
            yield Tensor(layer, (query, hidden))
        yield Tensor(layer, (latents["keys"] + latents["rotary"], hidden))
        yield Tensor(layer, (latents["keys"],))
        yield Tensor(layer, (heads * (latents["head"] + latents["value"]), latents["keys"]))
        yield Tensor(layer, (hidden, heads * latents["value"]))
    if model.get("biases"):
        yield Tensor(layer, (hidden,))


def has_experts(model, layer):
    experts = model.get("experts")
    if experts is None or layer < experts.get("dense_first", 0):
        return False
    return (layer + 1) % experts.get("every", 1) == 0


def norm(layer, model):
    yield Tensor(layer, (model["hidden"],))
    if model.get("norm_biases", model.get("biases", False)):
        yield Tensor(layer, (model["hidden"],))


def tensors(model):
    """All tensors; layer -1 is the input embedding, layer L the head."""
    hidden, is_gated = model["hidden"], model.get("gated", True)
    has_biases = model.get("biases", False)
    yield Tensor(-1, (model["vocabulary"], hidden), is_matmul=False)
    yield Tensor(-1, (model.get("other_parameters", 0),))
    for layer in range(model["layers"]):
        yield from attention(layer, model)
        yield from norm(layer, model)
        yield from norm(layer, model)
        if not has_experts(model, layer):
            yield from mlp(layer, hidden, model["mlp"], is_gated, has_biases)
            continue
        experts = model["experts"]
        width = experts.get("mlp", model["mlp"])
        yield Tensor(layer, (experts["count"], hidden))
        if experts.get("router_bias", has_biases):
            yield Tensor(layer, (experts["count"],))
        for expert in range(experts["count"]):
            yield from mlp(layer, hidden, width, is_gated, has_biases, expert)
        for _ in range(experts.get("shared", 0)):
            yield from mlp(layer, hidden, experts.get("shared_mlp", width), is_gated, has_biases)
        if experts.get("shared_gate"):
            yield Tensor(layer, (1, hidden))
    yield from norm(model["layers"], model)
    yield Tensor(model["layers"], (model["vocabulary"], hidden))


def score_width(model):
    """Values of a query and of the output of all heads: a multiply-add each for each token that is looked at."""
    latents = model.get("latents")
    if latents is None:
        return 2 * model["heads"] * model.get("head_width", model["hidden"] // model["heads"])
    return model["heads"] * (latents["head"] + latents["rotary"] + latents["value"])


def is_active(model, tensor):
    """A token takes `per_token` experts of a layer; with balanced experts it does not matter which."""
    return tensor.expert is None or tensor.expert < model["experts"]["per_token"]


def operations(model, sequence):
    """Forward and backward pass of all tokens of a sequence, divided by its length; causal, half of the diagonal."""
    multiply_adds = sum(tensor.size() for tensor in tensors(model) if tensor.is_matmul and is_active(model, tensor))
    looked_at = sum(range(sequence)) + sequence / 2
    scores = model["layers"] * score_width(model) * looked_at / sequence
    return 3 * 2 * (multiply_adds + scores)


def check(what, counted, stated, tolerance=0):
    if abs(counted - stated) > tolerance:
        sys.exit(f"{what}: counted {counted}, stated {stated}")


def check_model(models, path):
    with open(path, encoding="utf-8") as file:
        run = json.load(file)
    model = models[run["model"]]
    everything = list(tensors(model))
    check(f"{run['model']}: parameters", sum(tensor.size() for tensor in everything), run["parameters"])
    check(f"{run['model']}: active", sum(tensor.size() for tensor in everything if is_active(model, tensor)), run["active_parameters"])
    check(f"{run['model']}: operations", operations(model, run["sequence"]), run["flops_per_token"])


# --- A layout ---


def parse(text):
    """"dp=4,tp=2,...,no-etp,zero1,mb=1,recompute=none,bf16" as a dictionary; words without a value are keys."""
    return {word.split("=")[0]: word.split("=")[1] if "=" in word else True for word in text.split(",")}


class Ranks:
    """The ranks of a layout, tensor coordinates changing fastest, then context, data, pipeline."""

    def __init__(self, layout):
        self.tp, self.cp, self.dp, self.pp = (int(layout[key]) for key in ("tp", "cp", "dp", "pp"))
        self.ep = int(layout.get("ep", 1))
        self.is_whole = "no-etp" in layout or self.tp == 1
        self.sharding = next(word for word in ("ddp", "zero1", "zero2", "fsdp") if word in layout)

    def with_layers(self, stage):
        size = self.tp * self.cp * self.dp
        return range(stage * size, (stage + 1) * size)

    def expert_group(self, rank):
        """The ranks among which the experts of `rank` are divided: ep neighbours, of one tensor coordinate if it divides experts."""
        stage = rank // (self.tp * self.cp * self.dp)
        peers = [other for other in self.with_layers(stage) if self.is_whole or other % self.tp == rank % self.tp]
        at = peers.index(rank) // self.ep * self.ep
        return peers[at : at + self.ep]

    def held_experts(self, rank, count):
        place = self.expert_group(rank).index(rank)
        return range(place * count // self.ep, (place + 1) * count // self.ep)

    def expert_copies(self, rank):
        """The ranks that hold the same parts of the same experts."""
        stage = rank // (self.tp * self.cp * self.dp)
        place = self.expert_group(rank).index(rank)
        return [
            other
            for other in self.with_layers(stage)
            if self.expert_group(other).index(other) == place and (self.is_whole or other % self.tp == rank % self.tp)
        ]


def stage_of(ranks, model, layer):
    """The first stages have one more layer where the pipeline does not divide them."""
    if layer < 0:
        return 0
    if layer >= model["layers"]:
        return ranks.pp - 1
    each, more = divmod(model["layers"], ranks.pp)
    bounds = [each + (stage < more) for stage in range(ranks.pp)]
    return next(stage for stage in range(ranks.pp) if layer < sum(bounds[: stage + 1]))


def state(parameters, copies, sharding, gradient=4):
    """Bytes of weights, gradients and optimizer that a rank keeps, as three numbers."""
    return (
        2 * parameters / (copies if sharding == "fsdp" else 1),
        gradient * parameters / (copies if sharding in ("zero2", "fsdp") else 1),
        12 * parameters / (copies if sharding != "ddp" else 1),
    )


def rank_state(ranks, model, everything, rank):
    """Common weights, gradients, optimizer, and all three of the routed experts that the rank holds."""
    stage = rank // (ranks.tp * ranks.cp * ranks.dp)
    here = [tensor for tensor in everything if stage_of(ranks, model, tensor.layer) == stage]
    common = sum(tensor.size() for tensor in here if tensor.expert is None) / ranks.tp
    held = set(ranks.held_experts(rank, model["experts"]["count"]))
    experts = sum(tensor.size() for tensor in here if tensor.expert in held) / (1 if ranks.is_whole else ranks.tp)
    return state(common, ranks.dp * ranks.cp, ranks.sharding), sum(state(experts, len(ranks.expert_copies(rank)), ranks.sharding))


def sent_bytes(ranks, model, tokens, rank, gpus_per_node):
    """Bytes that leave a rank when its tokens go to their experts: to ranks on its node, and to others. The tensor ranks divide the
    tokens of a micro batch, and each expert takes the same number of their copies."""
    experts = model["experts"]
    copies = tokens / ranks.cp / ranks.tp * experts["per_token"]
    within = between = 0
    for other in ranks.expert_group(rank):
        share = len(ranks.held_experts(other, experts["count"])) / experts["count"]
        moved = copies * share * model["hidden"] * 2
        if other == rank:
            continue
        if other // gpus_per_node == rank // gpus_per_node:
            within += moved
        else:
            between += moved
    return within, between


def routed_activations(ranks, model, tokens, rank):
    """Kept for the backward pass of the routed experts of a layer: each copy's input, the values of the MLP, and its output."""
    experts, group = model["experts"], ranks.expert_group(rank)
    takers = len(group) * (1 if ranks.is_whole else ranks.tp)  # ranks whose tokens the experts of the group take
    arriving = takers * tokens / ranks.cp / ranks.tp * experts["per_token"] * len(ranks.held_experts(rank, experts["count"])) / experts["count"]
    values = (3 if model.get("gated", True) else 2) * experts.get("mlp", model["mlp"]) / (1 if ranks.is_whole else ranks.tp)
    return arriving * 2 * (model["hidden"] + values + model["hidden"])


def close(counted, stated):
    """Bytes are rounded up where parameters are divided."""
    return 64 + 1e-9 * max(counted, stated)


def check_layout(models, path):
    with open(path, encoding="utf-8") as file:
        run = json.load(file)
    model, layout = models[run["model"]], parse(run["layout"])
    ranks, memory = Ranks(layout), run["memory"]
    everything = list(tensors(model))
    tokens = int(layout["mb"]) * run["sequence"]
    gpus_per_node = run["gpus"] // run["nodes"]
    size = ranks.tp * ranks.cp * ranks.dp
    # The busiest rank's memory is stated: that of a stage whose state is the stated one.
    stages = [rank_state(ranks, model, everything, stage * size) for stage in range(ranks.pp)]
    stated = (memory["weights_bytes"], memory["gradients_bytes"], memory["optimizer_bytes"], memory["experts_bytes"])
    if not any(all(abs(a - b) <= close(a, b) for a, b in zip((*common, experts), stated)) for common, experts in stages):
        sys.exit(f"{run['layout']}: no stage keeps {stated}: {stages}")
    # All ranks of a stage keep as much.
    for rank in range(0, size, max(1, size // 7)):
        check("experts of rank", rank_state(ranks, model, everything, rank)[1], stages[0][1], close(stages[0][1], stages[0][1]))
    within, between = max((sent_bytes(ranks, model, tokens, rank, gpus_per_node) for rank in range(size)), key=sum)
    check("all-to-all in the node", within, run["all_to_all"]["within_node_bytes"], 1)
    check("all-to-all between nodes", between, run["all_to_all"]["between_nodes_bytes"], 1)
    if layout["recompute"] == "none" and ranks.pp == 1:
        layers = sum(has_experts(model, layer) for layer in range(model["layers"]))
        counted = layers * routed_activations(ranks, model, tokens, 0)
        check("activations of routed tokens", counted, memory["routed_bytes"], 1e-6 * counted)


def main():
    models = shapes_of(sys.argv[1])
    if sys.argv[2] == "models":
        for line in sys.stdin:
            check_model(models, line.strip())
    else:
        check_layout(models, sys.argv[3])


if __name__ == "__main__":
    main()

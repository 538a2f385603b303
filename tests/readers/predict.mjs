// Loads a model with TensorFlow.js and compares its predictions with those of `trainyard evaluate`:
//
//     node predict.mjs MODEL.h5 test_batch.bin PREDICTIONS.tsv
//
// Nothing here is trainyard's: h5wasm (the HDF5 library as WebAssembly) reads the file, TensorFlow.js makes the layers from
// the model's own description and computes, and the images come straight from the records of the test batch.
import { readFileSync } from "node:fs";
import * as tf from "@tensorflow/tfjs-core";
import "@tensorflow/tfjs-backend-cpu";
import * as layers from "@tensorflow/tfjs-layers";
import h5wasm from "h5wasm/node";

const tolerance = 1e-5;
const side = 32, channels = 3, plane = side * side, record = 1 + channels * plane;

function fail(message) {
    console.error(message);
    process.exit(1);
}

function asList(value) {
    return typeof value === "string" ? [value] : Array.from(value);
}

// What Keras keeps under model_weights, as TensorFlow.js wants it: specifications and one piece of bytes.
function readWeights(file) {
    const specs = [], pieces = [];
    for (const layer of asList(file.get("model_weights").attrs["layer_names"].value)) {
        const names = file.get(`model_weights/${layer}`).attrs["weight_names"].value ?? [];
        for (const name of asList(names)) {
            const tensor = file.get(`model_weights/${layer}/${name}`);
            specs.push({ name: name.replace(/:0$/, ""), shape: tensor.shape, dtype: "float32" });
            pieces.push(Buffer.from(new Float32Array(tensor.value).buffer));
        }
    }
    const all = Buffer.concat(pieces);
    return { specs, data: all.buffer.slice(all.byteOffset, all.byteOffset + all.length) };
}

async function loadModel(path) {
    await h5wasm.ready;
    const file = new h5wasm.File(path, "r");
    const { specs, data } = readWeights(file);
    const modelTopology = JSON.parse(file.attrs["model_config"].value);
    file.close();
    return layers.loadLayersModel(tf.io.fromMemory({ modelTopology, weightSpecs: specs, weightData: data }));
}

// Records of a label and three planes, to [count][row][column][channel] in 0 to 1.
function readImages(path, count) {
    const bytes = readFileSync(path);
    const values = new Float32Array(count * plane * channels), labels = [];
    for (let i = 0; i < count; i++) {
        labels.push(bytes[i * record]);
        for (let p = 0; p < plane; p++)
            for (let c = 0; c < channels; c++)
                values[(i * plane + p) * channels + c] = bytes[i * record + 1 + c * plane + p] / 255;
    }
    return { images: tf.tensor4d(values, [count, side, side, channels]), labels };
}

function readPredictions(path) {
    const [header, ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
    if (!header.startsWith("image\tlabel\tprobability_0\t"))
        fail(`${path}: what is "${header}"?`);
    return lines.map((line) => line.split("\t").map(Number));
}

const [modelPath, imagePath, predictionPath] = process.argv.slice(2);
await tf.setBackend("cpu");
const model = await loadModel(modelPath);
const ours = readPredictions(predictionPath);
const { images, labels } = readImages(imagePath, ours.length);
const theirs = await model.predict(images).array();
let largest = 0, spread = 0;
ours.forEach(([index, label, ...probabilities], i) => {
    if (index !== i || label !== labels[i] || probabilities.length !== 10)
        fail(`${predictionPath}: line ${i + 2} is of image ${index}, label ${label}`);
    probabilities.forEach((p, k) => {
        largest = Math.max(largest, Math.abs(p - theirs[i][k]));
        spread = Math.max(spread, Math.abs(theirs[i][k] - theirs[0][k]));
    });
});
console.log(`layers ${model.layers.length}, parameters ${model.countParams()}, images ${ours.length}, ` +
            `largest difference ${largest.toExponential(2)}, images differ by up to ${spread.toFixed(3)}`);
if (model.layers.length !== 18 || model.countParams() !== 1250858)
    fail("that is another network");
if (!(spread > 0.05))
    fail("the images' predictions are too alike to compare anything");
if (!(largest <= tolerance))
    fail(`predictions differ by more than ${tolerance}`);

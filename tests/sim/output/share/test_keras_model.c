#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/text.h"
#include "sim/formats/keras_network.h"
#include "sim/output/share/keras_model.h"
#include "tests/support/suite.h"

static void append(void *to, const char *bytes, size_t length)
{
    text_append(to, bytes, length);
}

static const KerasModel tutorial = {
    .network = "keras_cifar10_cnn", .ranks = 4, .seed = 20180718, .address = 42};

static Text written(const KerasModel *model)
{
    Text file = {0};
    Status status = {0};
    ck_assert_msg(keras_model_write(model, (ByteSink){&file, append}, &status), "%s",
                  status.message);
    return file;
}

START_TEST(the_layer_table_gives_the_known_numbers_of_parameters)
{
    // cifar10: 896 + 9,248 + 18,496 + 36,928 + 1,180,160 + 5,130.
    // mnist: 320 + 18,496 + (12 * 12 * 64 + 1) * 128 + 129 * 10.
    static const struct {
        const char *network;
        int32_t tensors;
        int64_t parameters;
    } rows[] = {{"keras_cifar10_cnn", 12, 1250858}, {"keras_mnist_cnn", 8, 1199882}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        KerasWeight weights[KERAS_WEIGHTS_MAX];
        int32_t count = keras_network_weights(keras_network_find(rows[i].network), weights);
        int64_t parameters = 0;
        for (int32_t w = 0; w < count; w++)
            parameters += weights[w].count;
        ck_assert_int_eq(count, rows[i].tensors);
        ck_assert_int_eq(parameters, rows[i].parameters);
    }
    ck_assert(!keras_model_is_known("resnet50"));
}
END_TEST

START_TEST(a_pool_drops_the_odd_row_and_column_of_its_input)
{
    // 32 -> same 32 -> valid 30 -> pool 15 -> same 15 -> valid 13 -> pool 6: 6 * 6 * 64 = 2304.
    KerasWeight weights[KERAS_WEIGHTS_MAX];
    keras_network_weights(keras_network_find("keras_cifar10_cnn"), weights);
    ck_assert_str_eq(weights[8].layer, "dense_1");
    ck_assert_int_eq(weights[8].shape[0], 2304);
    ck_assert_int_eq(weights[8].shape[1], 512);
    ck_assert_int_eq(weights[8].fan_sum, 2304 + 512);
}
END_TEST

START_TEST(equal_models_have_equal_bytes_and_another_address_gives_other_weights)
{
    KerasModel other = tutorial;
    other.address++;
    Text first = written(&tutorial), again = written(&tutorial), elsewhere = written(&other);
    // 1,250,858 weights and as many accumulators of 4 bytes, and little else.
    ck_assert_uint_gt(first.length, 2 * 4 * 1250858);
    ck_assert_uint_lt(first.length, 2 * 4 * 1250858 + 100000);
    ck_assert_uint_eq(first.length, again.length);
    ck_assert_mem_eq(first.data, again.data, first.length);
    ck_assert_uint_eq(first.length, elsewhere.length);
    ck_assert(memcmp(first.data, elsewhere.data, first.length) != 0);
    text_free(&first);
    text_free(&again);
    text_free(&elsewhere);
}
END_TEST

/* A Keras file, read by an independent program. */
static const char reader[] =
    "import h5py, json, math, sys\n"
    "f = h5py.File(sys.argv[1], 'r')\n"
    "text = lambda v: v.decode('utf8')\n" // like Keras 2.2, which fails on variable-length strings
    "assert 'emulated' in text(f.attrs['trainyard_emulated'])\n"
    "assert text(f.attrs['keras_version']) == '2.2.4'\n"
    "assert text(f.attrs['backend']) == 'tensorflow'\n"
    "layers = json.loads(text(f.attrs['model_config']))['config']['layers']\n"
    "names = [text(n) for n in f['model_weights'].attrs['layer_names']]\n"
    "assert names == [l['config']['name'] for l in layers] and len(names) == 18\n"
    "shapes = {'conv2d_1': (3, 3, 3, 32), 'conv2d_2': (3, 3, 32, 32), 'conv2d_3': (3, 3, 32, 64),\n"
    "          'conv2d_4': (3, 3, 64, 64), 'dense_1': (2304, 512), 'dense_2': (512, 10)}\n"
    "total, order = 0, []\n"
    "for name in names:\n"
    "    group = f['model_weights'][name]\n"
    "    weights = [text(n) for n in group.attrs['weight_names']]\n"
    "    if name not in shapes:\n"
    "        assert weights == [] and len(group) == 0\n"
    "        continue\n"
    "    assert weights == [name + '/kernel:0', name + '/bias:0']\n"
    "    kernel, bias = (group[w][...] for w in weights)\n"
    "    assert kernel.shape == shapes[name] and bias.shape == shapes[name][-1:]\n"
    "    area = math.prod(kernel.shape[:-2])\n"
    "    limit = math.sqrt(6 / (area * sum(kernel.shape[-2:])))\n"
    "    assert 0.9 * limit < abs(kernel).max() <= limit and abs(kernel.mean()) < 0.1 * limit\n"
    "    assert not bias.any()\n"
    "    total += kernel.size + bias.size\n"
    "    order += [kernel.shape, bias.shape]\n"
    "assert total == 1250858, total\n"
    // Files written in the same second would be equal even if they contained times.
    "datasets = []\n"
    "f.visititems(lambda name, it: datasets.append(it) if isinstance(it, h5py.Dataset) else None)\n"
    "assert len(datasets) == 24\n"
    "assert not any(h5py.h5g.get_objinfo(d.id).mtime for d in datasets)\n"
    "slots = [text(n) for n in f['optimizer_weights'].attrs['weight_names']]\n"
    "assert [f['optimizer_weights'][s].shape for s in slots] == order\n"
    "training = json.loads(text(f.attrs['training_config']))['optimizer_config']\n"
    "assert training['class_name'] == 'RMSprop' and training['config']['lr'] == 0.0004\n";

/* The first Python that has h5py; NULL when none has. */
static const char *python_with_h5py(void)
{
    static const char *const candidates[] = {"python3", "/usr/bin/python3"};
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        char command[200];
        snprintf(command, sizeof command, "%s -c 'import h5py' >/dev/null 2>&1", candidates[i]);
        if (system(command) == 0)
            return candidates[i];
    }
    return NULL;
}

static void put_file(char *path, const char *bytes, size_t length)
{
    int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    FILE *file = fdopen(descriptor, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(h5py_opens_the_model_as_keras_would)
{
    const char *python = python_with_h5py();
    if (!python) {
        printf("skipped: no python3 with h5py (Debian: python3-h5py)\n");
        return;
    }
    Text file = written(&tutorial);
    char model[] = "/tmp/trainyard-model-XXXXXX", script[] = "/tmp/trainyard-reader-XXXXXX";
    put_file(model, file.data, file.length);
    put_file(script, reader, sizeof reader - 1);
    char command[300];
    snprintf(command, sizeof command, "%s %s %s", python, script, model);
    int outcome = system(command);
    remove(model);
    remove(script);
    text_free(&file);
    ck_assert_int_eq(outcome, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("keras_model");
    TCase *tests = tcase_create("model");
    tcase_add_test(tests, the_layer_table_gives_the_known_numbers_of_parameters);
    tcase_add_test(tests, a_pool_drops_the_odd_row_and_column_of_its_input);
    tcase_add_test(tests, equal_models_have_equal_bytes_and_another_address_gives_other_weights);
    tcase_add_test(tests, h5py_opens_the_model_as_keras_would);
    suite_add_tcase(suite, tests);
    return suite;
}

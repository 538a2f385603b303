#!/usr/bin/env bash
# trainyard make-cifar: the same bytes on every machine, and nothing overwritten by accident.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

# The digest of all files of a set, one after the other by name.
digest_is()
{
    local folder=$1 expected=$2
    pass_or_fail "digest of $folder" [ "$(cat "$folder"/*_batch* | sha256sum | cut -d ' ' -f 1)" = "$expected" ]
}

example "the same bytes with every compiler and on every machine"
trainyard make-cifar small.set --images 50
exit_is 0
stderr_is_empty
stdout_has "small.set: 250 synthetic training images, 50 test images, binary, seed 1"
digest_is small.set 1330aab68a57af30ceb244c1d33dd727d7ed11a4e4b3b7a1fa9c7ab41b94516f
holds grep -q "This is not CIFAR-10" small.set/SYNTHETIC.txt

example "other seeds are other images"
trainyard make-cifar other.set --images 50 --seed 2 --quiet
exit_is 0
stdout_is_empty
holds [ "$(cmp small.set/test_batch.bin other.set/test_batch.bin | wc -l)" -eq 1 ]

example "fewer images are the first of each file"
trainyard make-cifar fewer.set --images 7
for file in small.set/*.bin; do
    holds cmp <(head -c $((7 * 3073)) "$file") "fewer.set/${file##*/}"
done

example "pickles"
trainyard make-cifar pickles.set --images 50 --encoding pickle
exit_is 0
digest_is pickles.set ac8c72cf231160f8ed6481ae7285a878c6be04b9be8d68775a4837fbce617d34

example "a set that is there stays, as it might be the real one"
trainyard make-cifar small.set --images 2
exit_is 2
stdout_is_empty
stderr_has 'small.set: there is a CIFAR-10 set already: "small.set/data_batch_1.bin"'
stderr_has "--force"
digest_is small.set 1330aab68a57af30ceb244c1d33dd727d7ed11a4e4b3b7a1fa9c7ab41b94516f

example "so does one in a sub-folder of the published name"
mkdir -p real/cifar-10-batches-py
echo precious >real/cifar-10-batches-py/test_batch
trainyard make-cifar real --images 2 --force
exit_is 2
stderr_has "real/cifar-10-batches-py/test_batch"
holds [ "$(ls real)" = cifar-10-batches-py ]
holds [ "$(cat real/cifar-10-batches-py/test_batch)" = precious ]

example "a set of the other encoding is in the way of --force too"
trainyard make-cifar small.set --images 2 --force --encoding pickle
exit_is 2
stderr_has "choose another folder"

example "--force replaces a set"
trainyard make-cifar other.set --images 50 --force
exit_is 0
digest_is other.set 1330aab68a57af30ceb244c1d33dd727d7ed11a4e4b3b7a1fa9c7ab41b94516f

example "a file in the folder's place"
echo text >file
trainyard make-cifar file --images 2
exit_is 2
stderr_has "file"
holds [ "$(cat file)" = text ]

example "no more images than the published files have"
trainyard make-cifar many.set --images 10001
exit_is 2
stderr_has "--images"
holds [ ! -e many.set ]

example "a full disk leaves no file half written"
if [ -w /dev/full ]; then
    mkdir full.set
    ln -s /dev/full full.set/data_batch_2.bin
    trainyard make-cifar full.set --images 100 --force
    exit_is 3
    stderr_has "full.set/data_batch_2.bin: writing failed: not all bytes were written"
    holds [ ! -e full.set/test_batch.bin ]
    holds [ -z "$(find full.set -name "*.tmp")" ]
fi

# numpy is not everywhere; the reader of tests/trainer/data/test_cifar_pickle.c is always tested.
if python3 -c 'import numpy' 2>/dev/null; then
    example "Python reads the pickles as Keras does"
    for encoding in bytes latin1; do
        holds python3 - "$encoding" <<'PYTHON'
import pickle, sys
import numpy
for name in ["data_batch_1", "data_batch_5", "test_batch"]:
    with open("pickles.set/" + name, "rb") as file:
        batch = pickle.load(file, encoding=sys.argv[1])
    batch = {key.decode() if isinstance(key, bytes) else key: value for key, value in batch.items()}
    records = numpy.fromfile("small.set/" + name + ".bin", dtype="uint8").reshape(50, 3073)
    assert batch["labels"] == list(records[:, 0]), name
    assert batch["data"].dtype == "uint8" and (batch["data"] == records[:, 1:]).all(), name
    assert len(batch["filenames"]) == 50, name
PYTHON
    done
fi

# All 60,000 images take some seconds: `tools/test.sh all` makes them.
if [ -n "${TRAINYARD_FULL_SET:-}" ]; then
    example "the full set"
    trainyard make-cifar full --quiet
    exit_is 0
    digest_is full b575aa8c323452e25363451b3da24616c6260007ce4fb9b65a98eba534ca4a7a
fi

finish

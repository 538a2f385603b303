#!/usr/bin/python3
"""Compares augment_image with Keras' ImageDataGenerator.

    keras_augment.py AUGMENT_IMAGES    the program of tests/trainer/data/augment_images.c

Exit code 77 if Keras' preprocessing (Debian: python3-keras-preprocessing, python3-scipy) is missing.
"""
import subprocess
import sys
import warnings

try:
    import numpy
    import scipy  # noqa: F401 (imported late by keras_preprocessing, which then fails in the middle)
    from keras_preprocessing.image import ImageDataGenerator
except ImportError as problem:
    print(f"skipped: {problem} (Debian packages: python3-keras-preprocessing python3-scipy)")
    sys.exit(77)

warnings.filterwarnings("ignore", category=DeprecationWarning)  # scipy.ndimage.interpolation
TOLERANCE = 1e-6
SIDE = 32

numpy.random.seed(4)
images = numpy.random.randint(0, 256, (60, SIDE, SIDE, 3), dtype=numpy.uint8)
generator = ImageDataGenerator(
    width_shift_range=0.1, height_shift_range=0.1, horizontal_flip=True, data_format="channels_last")

# Keras draws the parameters, so that their ranges are checked, too. Whole and half pixels, the
# extremes and no shift are added.
cases = [generator.get_random_transform((SIDE, SIDE, 3), seed=seed) for seed in range(48)]
for tx, ty in ((0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (0.5, -2.5), (3.2, 3.2), (-3.2, 3.2), (3.2, -3.2), (-3.2, -3.2)):
    cases.append({"tx": tx, "ty": ty, "flip_horizontal": len(cases) % 2 == 1})
records, expected = [], []
for case, image in zip(cases, images):
    # Both implementations get the same floats.
    case["tx"], case["ty"] = float(numpy.float32(case["tx"])), float(numpy.float32(case["ty"]))
    assert abs(case["tx"]) <= 3.2000001 and abs(case["ty"]) <= 3.2000001, case
    # tx is Keras' shift of the height, which moves along rows.
    records.append(numpy.array([case["tx"], case["ty"]], numpy.float32).tobytes()
                   + bytes([bool(case["flip_horizontal"])]) + image.tobytes())
    # The script divides by 255 before it augments.
    expected.append(generator.apply_transform(image.astype("float32") / 255, case))

output = subprocess.run([sys.argv[1]], input=b"".join(records), stdout=subprocess.PIPE, check=True).stdout
ours = numpy.frombuffer(output, numpy.float32).reshape(-1, SIDE, SIDE, 3)
assert len(ours) == len(expected) == 58, len(ours)
assert {bool(case["flip_horizontal"]) for case in cases} == {False, True}

worst = 0.0
for case, mine, keras in zip(cases, ours, expected):
    difference = float(numpy.abs(mine - keras).max())
    worst = max(worst, difference)
    if difference > TOLERANCE:
        print(f"differs by {difference:.3g}: tx {case['tx']} ty {case['ty']} flip {case['flip_horizontal']}")
print(f"{len(ours)} images differ from Keras' by at most {worst:.2g}, allowed is {TOLERANCE:.0e}")
sys.exit(worst > TOLERANCE)

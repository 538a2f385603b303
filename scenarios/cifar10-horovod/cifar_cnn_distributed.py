"""Trains a small convolutional network on CIFAR-10 with Horovod: what scenario.json rehearses.

Written for this scenario after the description of the tutorial's script. Every rank goes through the
whole training set in every epoch; with more ranks there are fewer epochs and a higher rate.
"""
import argparse
import math
import os

import horovod.keras as hvd
import tensorflow as tf
from keras import backend, callbacks, layers, models, optimizers, utils
from keras.datasets import cifar10
from keras.preprocessing.image import ImageDataGenerator

BATCH = 32
CLASSES = 10
ONE_GPU_EPOCHS = 100


def network():
    """1,250,858 parameters; 20,741,120 multiply-adds an image."""
    return models.Sequential([
        layers.Conv2D(32, 3, padding="same", activation="relu", input_shape=(32, 32, 3)),
        layers.Conv2D(32, 3, activation="relu"),
        layers.MaxPooling2D(2),
        layers.Dropout(0.25),
        layers.Conv2D(64, 3, padding="same", activation="relu"),
        layers.Conv2D(64, 3, activation="relu"),
        layers.MaxPooling2D(2),
        layers.Dropout(0.25),
        layers.Flatten(),
        layers.Dense(512, activation="relu"),
        layers.Dropout(0.5),
        layers.Dense(CLASSES, activation="softmax"),
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dir", required=True, help="where saved_models/ goes")
    directory = os.path.join(parser.parse_args().dir, "saved_models")

    hvd.init()
    gpu = tf.ConfigProto()
    gpu.gpu_options.visible_device_list = str(hvd.local_rank())
    backend.set_session(tf.Session(config=gpu))

    (x_train, y_train), (x_test, y_test) = cifar10.load_data()
    print(len(x_train), "train samples")
    print(len(x_test), "test samples")
    x_train, x_test = x_train / 255.0, x_test / 255.0
    y_train, y_test = (utils.to_categorical(y, CLASSES) for y in (y_train, y_test))

    model = network()
    rate = optimizers.RMSprop(lr=0.0001 * hvd.size(), decay=1e-6)
    model.compile(loss="categorical_crossentropy", optimizer=hvd.DistributedOptimizer(rate),
                  metrics=["accuracy"])
    hooks = [hvd.callbacks.BroadcastGlobalVariablesCallback(0)]
    if hvd.rank() == 0:
        hooks.append(callbacks.ModelCheckpoint("./checkpoint-{epoch}.h5"))

    images = ImageDataGenerator(width_shift_range=0.1, height_shift_range=0.1, horizontal_flip=True)
    model.fit_generator(images.flow(x_train, y_train, batch_size=BATCH),
                        epochs=int(math.ceil(ONE_GPU_EPOCHS / float(hvd.size()))),
                        validation_data=(x_test, y_test), callbacks=hooks, workers=4)

    if hvd.rank() == 0:
        if not os.path.isdir(directory):
            os.makedirs(directory)
        path = os.path.join(directory, "keras_cifar10_trained_model.h5")
        model.save(path)
        print("Saved trained model at", path)
    loss, accuracy = model.evaluate(x_test, y_test)
    print("Test loss:", loss)
    print("Test accuracy:", accuracy)


if __name__ == "__main__":
    main()

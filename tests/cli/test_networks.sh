#!/usr/bin/env bash
# The networks of the catalogue: the file, the program that makes it, and the output about them.
# shellcheck source=tests/cli/support.sh
source "$(dirname "$0")/support.sh"

example "networks.json is what tools/networks.py prints"
/usr/bin/python3 "$source_folder/tools/networks.py" >printed 2>stderr
status=$?
exit_is 0
diff printed "$scenarios/catalog/networks.json" >stdout
holds [ ! -s stdout ]

example "a scenario that names only azure-2018.json knows its networks, explained in one line"
trainyard explain "$scenarios/cifar10-horovod/scenario.json"
exit_is 0
stdout_has "networks/keras_cifar10_cnn/layers = 17 layers, 1,250,858 parameters in 12 tensors, 20.741 M multiply-adds  # "
holds [ "$(grep -c "^networks/" stdout)" -eq 1 ]

example "a catalogue that includes a file which is not there"
mv small/catalog/networks.json .
trainyard validate small/scenario.json
exit_is 2
stderr_begins "small/catalog/azure-2018.json:4:15: there is no file \"networks.json\""
stderr_has '  hint: files are looked for next to "small/catalog/azure-2018.json"'
holds [ "$(wc -l <stderr)" -eq 2 ]
trainyard validate small/catalog/azure-2018.json
exit_is 2
stderr_begins "small/catalog/azure-2018.json:4:15: there is no file \"networks.json\""
mv networks.json small/catalog/

example "a separate catalogue is checked with its includes"
trainyard validate small/catalog/azure-2018.json
exit_is 0
stdout_has "catalogue, no problems"
sed -i '0,/ convolution /s// convolusion /' small/catalog/networks.json
trainyard validate small/catalog/azure-2018.json
exit_is 2
stderr_has 'networks/keras_cifar10_cnn/layers: "convolusion": expected a kind of layer'
stderr_has '  hint: did you mean "convolution"?'

finish

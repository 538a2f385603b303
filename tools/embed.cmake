# Writes OUTPUT: the C table TABLE, declared in HEADER, with the names and contents of the files ASSETS. The contents are single
# characters, because C guarantees only 4095 characters in a string literal. They are written '\xe2', because 0xe2 does not fit into a
# signed char.
set(arrays "")
set(rows "")
set(index 0)
foreach(asset IN LISTS ASSETS)
  get_filename_component(name ${asset} NAME)
  file(READ ${asset} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................................................)" "\\1\n" bytes "${bytes}")
  string(APPEND arrays "static const char asset_${index}[] = {\n${bytes}0};\n")
  string(APPEND rows "    {\"${name}\", asset_${index}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUTPUT} "/* Made by tools/embed.cmake. */
#include \"${HEADER}\"

${arrays}
const Asset ${TABLE}[] = {
${rows}};
const int ${TABLE}_count = ${index};
")

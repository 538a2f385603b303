# Replaces CMake's module on machines with neither pkg-config nor the libraries: finds the libraries in TRAINYARD_PACKED, the folder
# that `tools/gpu_check.sh pack` fills. Used with -DCMAKE_MODULE_PATH=tools/packed. Modules of CMake (FindMPI) load the original.
include_directories(SYSTEM ${TRAINYARD_PACKED}/include) # Random123 has only headers

# packed_library(TARGET NAME...): an imported target of lib/libNAME.a or .so; a NAME without such a file is the system's library.
function(packed_library target)
  if(NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    foreach(name ${ARGN})
      file(GLOB files ${TRAINYARD_PACKED}/lib/lib${name}.a ${TRAINYARD_PACKED}/lib/lib${name}.so.*)
      if(files)
        target_link_libraries(${target} INTERFACE ${files})
      else()
        target_link_libraries(${target} INTERFACE ${name})
      endif()
    endforeach()
  endif()
endfunction()

set(packed_gsl gsl gslcblas m)
set(packed_check check subunit rt m pthread)

function(pkg_check_modules prefix)
  list(GET ARGN -1 module)
  if(packed_${module})
    packed_library(PkgConfig::${prefix} ${packed_${module}})
  elseif("REQUIRED" IN_LIST ARGN)
    message(FATAL_ERROR "${module} is not in ${TRAINYARD_PACKED}")
  endif()
endfunction()

set(PkgConfig_FOUND ON)

# CUDA for the trainer: finds the toolkit and sets the GPUs that code is compiled for. Included by the top folder, because CMake
# requires a language to be enabled above all targets that link its objects.
option(TRAINYARD_CUDA "Compute with CUDA on NVIDIA GPUs" ON)

# The GPUs that each toolkit can compile for, from the oldest on, by its release notes. 10.2 ends with Turing, 11.0 adds Ampere,
# 11.8 adds Ada and Hopper, 12.0 drops Kepler, 13.0 drops everything before Turing. "native" is not used, because the build machine
# may not have a GPU.
function(trainyard_cuda_architectures version result)
  if(version VERSION_GREATER_EQUAL 13.0)
    set(list 75 80 86 89 90 100 120)
  elseif(version VERSION_GREATER_EQUAL 12.0)
    set(list 50 60 70 75 80 86 89 90)
  elseif(version VERSION_GREATER_EQUAL 11.8)
    set(list 35 37 50 60 70 75 80 86 90)
  elseif(version VERSION_GREATER_EQUAL 11.1)
    set(list 35 37 50 60 70 75 80 86)
  elseif(version VERSION_GREATER_EQUAL 11.0)
    set(list 35 37 50 60 70 75 80)
  else()
    set(list 30 35 37 50 60 70 75)
  endif()
  set(${result} ${list} PARENT_SCOPE)
endfunction()

# nvcc's options for these GPUs. Half of a compilation makes PTX, which kernels do not need for every GPU: it differs only before and
# after 7.0 (threads of a warp run independently) and 8.0 (tensor cores: CUDA_HAS_MMA). The PTX of the first GPU of a range is
# assembled for all of them, and also stored: a driver compiles it for later GPUs.
function(trainyard_cuda_code list result)
  set(options)
  set(last 0)
  foreach(next 70 80 1000)
    set(code)
    foreach(gpu ${list})
      if(gpu GREATER_EQUAL last AND gpu LESS next)
        list(APPEND code ${gpu})
      endif()
    endforeach()
    if(code)
      list(GET code 0 first)
      list(JOIN code ",sm_" code)
      list(APPEND options "-gencode=arch=compute_${first},code=[compute_${first},sm_${code}]")
    endif()
    set(last ${next})
  endforeach()
  set(${result} ${options} PARENT_SCOPE)
endfunction()

if(TRAINYARD_CUDA AND NOT CMAKE_CROSSCOMPILING)
  if(NOT DEFINED ENV{CUDACXX} AND NOT CMAKE_CUDA_COMPILER)
    find_program(TRAINYARD_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
    if(TRAINYARD_NVCC)
      set(ENV{CUDACXX} ${TRAINYARD_NVCC})
    endif()
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(trainyard_chooses_architectures ON)
    set(CMAKE_CUDA_ARCHITECTURES OFF) # for CMake's checks of the compiler
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit QUIET)
  endif()
  # TRAINYARD_CUDA_GPUS: the GPUs that there is code for, in the words of CMAKE_CUDA_ARCHITECTURES. If the user does not choose them,
  # TRAINYARD_CUDA_CODE has nvcc's options, and CMake adds none.
  if(trainyard_chooses_architectures AND CMAKE_CUDA_COMPILER)
    trainyard_cuda_architectures(${CMAKE_CUDA_COMPILER_VERSION} TRAINYARD_CUDA_GPUS)
    trainyard_cuda_code("${TRAINYARD_CUDA_GPUS}" TRAINYARD_CUDA_CODE)
  elseif(CMAKE_CUDA_COMPILER)
    set(TRAINYARD_CUDA_GPUS ${CMAKE_CUDA_ARCHITECTURES})
  endif()
endif()

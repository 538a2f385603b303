# NCCL for ranks on GPUs, where the toolkit is there too: in its folder, in the system's (Debian's layout), in NCCL_ROOT, or in the
# packages of the Python that is found first (nvidia/nccl of pip, which has a library without a development link). Sets the target
# trainyard_nccl. The CUDA runtime is linked in, as in the backend: there must be only one.
option(TRAINYARD_NCCL "Let ranks sum on their GPUs by NCCL" ON)

# Folders nvidia/nccl below the site-packages of Python.
function(trainyard_python_nccl result)
  find_package(Python3 QUIET COMPONENTS Interpreter)
  set(folders)
  if(Python3_Interpreter_FOUND)
    execute_process(COMMAND ${Python3_EXECUTABLE} -c
      "import site, sys; print(';'.join(p + '/nvidia/nccl' for p in site.getsitepackages() + [site.getusersitepackages()] + sys.path if p))"
      OUTPUT_VARIABLE folders OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  set(${result} ${folders} PARENT_SCOPE)
endfunction()

if(TRAINYARD_CUDA AND TRAINYARD_NCCL AND NOT CMAKE_CROSSCOMPILING)
  if(NOT TARGET CUDA::cudart_static)
    find_package(CUDAToolkit QUIET)
  endif()
  trainyard_python_nccl(python_folders)
  find_path(NCCL_HEADERS nccl.h HINTS ${NCCL_ROOT} ENV NCCL_ROOT ${CUDAToolkit_INCLUDE_DIRS} PATHS ${python_folders} PATH_SUFFIXES include)
  find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR HINTS ${NCCL_ROOT} ENV NCCL_ROOT ${CUDAToolkit_LIBRARY_DIR} PATHS ${python_folders}
    PATH_SUFFIXES lib lib64)
  if(NCCL_HEADERS AND NCCL_LIBRARY AND TARGET CUDA::cudart_static)
    add_library(trainyard_nccl INTERFACE)
    target_include_directories(trainyard_nccl SYSTEM INTERFACE ${NCCL_HEADERS})
    target_link_libraries(trainyard_nccl INTERFACE ${NCCL_LIBRARY} CUDA::cudart_static)
    set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON) # found again where it was found, also by what is installed
  endif()
endif()

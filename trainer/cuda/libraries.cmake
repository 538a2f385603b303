# NVIDIA's libraries for the cuda backend, all optional: cuBLAS and cuDNN for products, NCCL for sums over ranks. Each is searched
# for in NAME_ROOT, in the toolkit's folder, in the system's folders (Debian's layout), and in the packages of the first Python
# found (nvidia/cudnn of pip, which has a library without a development link). Sets the targets trainyard_cublas, trainyard_cudnn
# and trainyard_nccl. The CUDA runtime is linked statically, as in the backend: there must be only one.
option(TRAINYARD_CUBLAS "Use cuBLAS for dense layers on GPUs where it is faster" ON)
option(TRAINYARD_CUDNN "Use cuDNN for convolutions on GPUs where it is faster" ON)
option(TRAINYARD_NCCL "Use NCCL for sums over ranks on GPUs" ON)

# The folders nvidia/NAME in Python's site-packages, and nvidia/cu13, which contains the libraries of the toolkit since CUDA 13.
function(trainyard_python_folders name result)
  find_package(Python3 QUIET COMPONENTS Interpreter)
  set(folders)
  if(Python3_Interpreter_FOUND)
    execute_process(COMMAND ${Python3_EXECUTABLE} -c "import site, sys
for path in filter(None, site.getsitepackages() + [site.getusersitepackages()] + sys.path):
    for name in '${name}', 'cu${CUDAToolkit_VERSION_MAJOR}':
        print(path + '/nvidia/' + name, end=';')"
      OUTPUT_VARIABLE folders ERROR_QUIET)
  endif()
  set(${result} ${folders} PARENT_SCOPE)
endfunction()

# trainyard_nvidia_library(NAME HEADER VERSION...): adds a library; files libNAME.so.VERSION are accepted, too.
function(trainyard_nvidia_library name header)
  string(TOUPPER ${name} upper)
  if(NOT TARGET trainyard_cuda OR NOT TRAINYARD_${upper})
    return()
  endif()
  list(TRANSFORM ARGN PREPEND "lib${name}.so.")
  trainyard_python_folders(${name} python_folders)
  find_path(${upper}_HEADERS ${header} HINTS ${${upper}_ROOT} ENV ${upper}_ROOT ${CUDAToolkit_INCLUDE_DIRS}
    PATHS ${python_folders} PATH_SUFFIXES include)
  find_library(${upper}_LIBRARY NAMES ${name} ${ARGN} NAMES_PER_DIR HINTS ${${upper}_ROOT} ENV ${upper}_ROOT ${CUDAToolkit_LIBRARY_DIR}
    PATHS ${python_folders} PATH_SUFFIXES lib lib64)
  if(${upper}_HEADERS AND ${upper}_LIBRARY)
    add_library(trainyard_${name} INTERFACE)
    target_include_directories(trainyard_${name} SYSTEM INTERFACE ${${upper}_HEADERS})
    target_link_libraries(trainyard_${name} INTERFACE ${${upper}_LIBRARY} CUDA::cudart_static)
    # Installed programs also search for the library in its folder at build time. CMake's default rpath leaves out the toolkit's
    # folder: nvcc links from it implicitly, but the dynamic linker does not search there by default.
    get_filename_component(folder ${${upper}_LIBRARY} DIRECTORY)
    target_link_options(trainyard_${name} INTERFACE LINKER:-rpath,${folder})
  endif()
endfunction()

trainyard_nvidia_library(cublas cublas_v2.h ${CUDAToolkit_VERSION_MAJOR})
trainyard_nvidia_library(cudnn cudnn.h 9 8 7)
trainyard_nvidia_library(nccl nccl.h 2)

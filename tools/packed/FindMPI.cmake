# See FindPkgConfig.cmake. CMake's own module would load CMake's FindPkgConfig, which replaces ours.
if(EXISTS ${TRAINYARD_PACKED}/mpi/include/mpi.h)
  if(NOT TARGET MPI::MPI_C)
    add_library(MPI::MPI_C INTERFACE IMPORTED GLOBAL)
    target_include_directories(MPI::MPI_C SYSTEM INTERFACE ${TRAINYARD_PACKED}/mpi/include)
    # Programs find the libraries that the library needs in its folder, too (tools/packed/mpi_environment.sh).
    target_link_libraries(MPI::MPI_C INTERFACE ${TRAINYARD_PACKED}/mpi/lib/libmpi.so.40)
    target_link_options(MPI::MPI_C INTERFACE LINKER:-rpath-link,${TRAINYARD_PACKED}/mpi/lib)
  endif()
  set(MPI_C_FOUND ON)
endif()
set(MPI_FOUND ${MPI_C_FOUND})

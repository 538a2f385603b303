# Sourced with the variable `packed_mpi`, a folder that `tools/gpu_check.sh pack` has filled with an Open MPI of Debian: makes mpirun and
# its ranks use it in that folder. Open MPI's folders are absolute when Debian builds it, so each of them is named.
# shellcheck shell=bash disable=SC2154 # packed_mpi is the caller's
export PATH=$packed_mpi/bin:$PATH LD_LIBRARY_PATH=$packed_mpi/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export OPAL_PREFIX=$packed_mpi OPAL_BINDIR=$packed_mpi/bin OPAL_LIBDIR=$packed_mpi/lib OPAL_PKGLIBDIR=$packed_mpi/lib/openmpi3
export OPAL_DATADIR=$packed_mpi/share OPAL_PKGDATADIR=$packed_mpi/share/openmpi OPAL_SYSCONFDIR=$packed_mpi/etc
export PMIX_INSTALL_PREFIX=$packed_mpi

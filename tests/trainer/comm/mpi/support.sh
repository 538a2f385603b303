# Sourced by what starts ranks under mpirun: an environment in which Open MPI works alike as root in a container, as a plain user,
# and on fewer cores than ranks.
# shellcheck shell=bash
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 # more ranks than cores
export OMPI_MCA_hwloc_base_binding_policy=none # several tests at once must not share the first core
export OMPI_MCA_btl=self,vader # this machine only: no look at its network
export OMPI_MCA_mpi_yield_when_idle=1 # cores are shared with other tests: waiting at full speed would take them away
# Containers often forbid process_vm_readv, which vader finds out only after a message on stderr.
export OMPI_MCA_btl_vader_single_copy_mechanism=none

# Ends the script as skipped where there is no mpirun.
need_mpirun()
{
    command -v mpirun >/dev/null && return
    echo "skipped: mpirun is not installed (Debian package: openmpi-bin)"
    exit 77
}

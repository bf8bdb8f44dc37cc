# shellcheck shell=bash
# scripts/soft-roce without a machine: a Soft-RoCE device on an interface of this host. Needs scripts/common.sh.
# shellcheck disable=SC2154  # variables of scripts/common.sh and scripts/soft-roce

# run_natively COMMAND...: with a device on the interface $native; one that was there before stays.
run_natively() {
  local number=0 status=0 why="no Soft-RoCE device on $native"
  [[ $# -gt 0 ]] || misused "there is no COMMAND"
  [[ -e /sys/class/net/$native ]] || fail "$why" "this host has no such interface"
  command -v rdma >/dev/null || fail "$why" "there is no rdma command" "apt-get install iproute2"
  if has_device; then
    trap - EXIT
  else
    [[ $EUID -eq 0 ]] || fail "$why" "only root can make one"
    load_rxe || fail "$why" "this host's kernel ($(uname -r)) has no rdma_rxe" \
      "without --native a virtual machine has it"
    while [[ -e /sys/class/infiniband/rxe$number ]]; do number=$((number + 1)); done
    rdma link add "rxe$number" type rxe netdev "$native" || fail "$why" "the kernel refused it (see above)"
    # shellcheck disable=SC2064  # the number as it is now
    trap "rdma link delete rxe$number" EXIT
  fi
  "$@" || status=$?
  exit "$status"
}

has_device() {
  rdma link show 2>/dev/null | grep -q " netdev $native *$"
}

load_rxe() {
  [[ -e /sys/module/rdma_rxe ]] ||
    PATH=$PATH:/usr/sbin:/sbin modprobe -q -a rdma_rxe ib_uverbs rdma_ucm 2>/dev/null
}

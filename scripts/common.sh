# shellcheck shell=bash
# What the scripts share: package lists, installing, and steps that say what failed and why.
# A script sources it first thing; it sets `root`, and `log` once open_log was called.

set -Eeuo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
log=/dev/null
assume_yes=

build_packages=(g++ cmake ninja-build pkg-config libfmt-dev libcli11-dev nlohmann-json3-dev
  libasio-dev libssl-dev libfabric-dev libibverbs-dev)
plot_packages=(python3-matplotlib)
# The report's page in a browser. Node.js from elsewhere brings an npm, and does not go together with the distribution's.
page_packages=(chromium chromium-driver python3-selenium)
command -v npm >/dev/null || page_packages+=(npm)
# shellcheck disable=SC2034  # for scripts/test
test_packages=(libgtest-dev libbenchmark-dev libbenchmark-tools python3 python3-jsonschema
  python3-scipy iproute2 strace ccache
  libfabric-bin qemu-system-x86 cpio kmod ibverbs-providers ibverbs-utils
  clang-format clang-tidy cppcheck gcovr shellcheck black mypy "${plot_packages[@]}" "${page_packages[@]}")
# shellcheck disable=SC2034  # for scripts/test --all
fuzz_packages=(clang libclang-rt-dev)
oldest_gcc=11

# Amazon's EFA installer brings a libfabric of its own, newer than the distribution's.
amazon_efa=/opt/amazon/efa
if compgen -G "$amazon_efa/lib*/pkgconfig/libfabric.pc" >/dev/null; then
  export CMAKE_PREFIX_PATH=$amazon_efa${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}
  build_packages=("${build_packages[@]/libfabric-dev/}")
fi

# fail WHAT [CAUSE [REMEDY]]: ends the script.
fail() {
  printf 'error: %s\n' "$1"
  [[ -z ${2:-} ]] || printf '  cause:  %s\n' "$2"
  [[ -z ${3:-} ]] || printf '  try:    %s\n' "$3"
  explained=yes
  exit 1
} >&2

# A command that fails where nothing else explains it is at least named.
explained=
unexplained=
trap 'unexplained="${BASH_SOURCE[0]#"$root"/} line $LINENO: $BASH_COMMAND"' ERR
trap 'end_of_script $?' EXIT
end_of_script() {
  [[ $1 -eq 0 || -n $explained ]] || printf 'error: exit status %s\n  cause:  %s\n' "$1" \
    "${unexplained:-interrupted}" >&2
}

# usage_of SCRIPT: its comment between the first line and the first line that is no comment.
usage_of() {
  sed -n '2,/^[^#]/{/^# shellcheck/d; s/^# \{0,1\}//p}' "$1"
}

# open_log FILE: where the output of the steps goes.
open_log() {
  if ! mkdir -p "$(dirname "$1")" || ! : >"$1"; then
    fail "cannot write $1" "" "a checkout of your own"
  fi
  log=$1
}

# step LABEL COMMAND...: a line on the screen; the output only in the log, whose end is shown on failure.
step() {
  local label=$1 start=$SECONDS begin status=0
  shift
  printf '%s ... ' "$label"
  printf '\n== %s: %s\n' "$label" "$*" >>"$log"
  begin=$(wc -l <"$log")
  # Not `if (...)`: a condition would switch -e off in functions that are run as a step.
  set +e
  (set -e && "$@") >>"$log" 2>&1 </dev/null
  status=$?
  set -e
  [[ $status -ne 0 ]] || { printf '%d s\n' $((SECONDS - start)) && return 0; }
  printf 'failed\n'
  tail -n +$((begin + 1)) "$log" | tail -n 25 | sed 's/^/  | /'
  printf 'error: failed: %s\n  cause:  %s\n  output: %s\n' "$label" \
    "$(tail -n +$((begin + 1)) "$log" | cause)" "$log" >&2
  explained=yes
  exit 1
}

# The first line of an output that looks like the cause, else its last. What CMake says comes after
# the line that says where.
cause() {
  awk 'NF { last = $0 }
    NF && found ~ /^CMake Error.*:$/ { found = found $0 }
    !found && /error:|Error:|CMake Error|^E: |warning:|^would reformat / { found = $0 }
    END { print found ? found : last }'
}

# missing PACKAGE...: those that are not installed.
missing() {
  local package
  for package; do
    [[ -z $package ]] ||
      [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      printf '%s\n' "$package"
  done
}

# install_packages PACKAGE...: installs what is missing, having said how much that is.
install_packages() {
  local wanted plan
  command -v apt-get >/dev/null || fail "cannot install packages" "this system has no apt-get" \
    "install the like of: $* ; then cmake --preset release && cmake --build --preset release"
  mapfile -t wanted < <(missing "$@")
  [[ ${#wanted[@]} -gt 0 ]] || return 0
  become_root "${wanted[@]}"
  plan=$(apt_plan "${wanted[@]}") || {
    step "reading package lists" "${as_root[@]}" apt-get update
    plan=$(apt_plan "${wanted[@]}") || fail "cannot install ${wanted[*]}" \
      "$(cause <<<"$plan")" "on Ubuntu some are in 'universe': add-apt-repository universe"
  }
  printf 'missing: %s\n' "${wanted[*]}"
  awk '/newly installed/ { new = $3 } /^Need to get/ { sub(/.*\//, ""); sub(/Need to get /, "");
    fetch = $1 " " $2 } /^After this/ { disk = $4 " " $5 }
    END { printf "that is %s packages, %s to fetch, %s on disk\n", new, fetch, disk }' <<<"$plan"
  confirm "install them?"
  step "installing packages" apt_install "${wanted[@]}"
}

# Sets `as_root`, the words to put before a command that needs root.
become_root() {
  as_root=()
  [[ $EUID -ne 0 ]] || return 0
  command -v sudo >/dev/null || fail "cannot install packages" \
    "this user is not root, and there is no sudo" "as root: apt-get install $*"
  as_root=(sudo)
  [[ -t 0 ]] || as_root+=(-n)
  "${as_root[@]}" true || fail "cannot install packages" "sudo refused" \
    "as root: apt-get install $*"
}

apt_plan() {
  LC_ALL=C apt-get --print-uris --no-install-recommends --no-remove install "$@" 2>&1
}

# Lists may be older than the archive, which then has newer versions under other names.
apt_install() {
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes
    --no-install-recommends --no-remove -o DPkg::Lock::Timeout=300 "$@")
  "${install[@]}" || { "${as_root[@]}" apt-get update && "${install[@]}"; }
}

# confirm QUESTION: asks on a terminal only.
confirm() {
  local answer
  [[ -z $assume_yes && -t 0 && -t 1 ]] || return 0
  read -r -p "$1 [Y/n] " answer
  [[ -z $answer || $answer == [yY]* ]] || fail "stopped: nothing was installed"
}

# Exports CXX and CC where the default compiler is too old and a newer one is there.
choose_compiler() {
  local compiler=${CXX:-c++} version number
  # Clang replaces the first word as well; CMake judges it.
  version=$(printf '__clang_major__ __GNUC__' | "$compiler" -E -P -x c++ -) ||
    fail "the C++ compiler does not work" "$compiler"
  [[ $version == "__clang_major__ "* && ${version##* } -lt $oldest_gcc ]] || return 0
  for number in 15 14 13 12 11; do
    if [[ -z ${CXX:-} ]] && command -v "g++-$number" >/dev/null; then
      export CXX=g++-$number CC=gcc-$number
      return 0
    fi
  done
  fail "the C++ compiler is too old for C++20" \
    "$compiler is GCC ${version##* }, and GCC $oldest_gcc or newer is needed" \
    "apt-get install g++-12 (where the system has it), then CXX=g++-12 CC=gcc-12 $0"
}

# python_with MODULE...: a Python 3 that has the modules. Debian's own comes first: its packages are
# invisible to another python3 on PATH.
python_with() {
  local python IFS=,
  for python in /usr/bin/python3 python3; do
    if "$python" -c "import $*" >/dev/null 2>&1; then
      printf '%s\n' "$python"
      return 0
    fi
  done
  return 1
}

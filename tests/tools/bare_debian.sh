# shellcheck shell=bash
# Bare Debian systems in folders, and commands that run in them. A script sources it after scripts/common.sh.

# make_debian RELEASE FOLDER: from the archive that this machine takes its own packages from, where that is Debian's.
make_debian() {
  local archives
  # shellcheck disable=SC2016  # a name of apt's
  mapfile -t archives < <(apt-get indextargets --format '$(REPO_URI)' "Origin: Debian" "Label: Debian")
  rm -rf --one-file-system "$2.new"
  debootstrap --variant=minbase "$1" "$2.new" "${archives[@]:0:1}"
  mv "$2.new" "$2"
}

# furnish FOLDER CHECKOUT: with this machine's ways to reach an archive, and in /pairbench the checkout without what
# git ignores.
furnish() {
  cp --dereference /etc/resolv.conf /etc/hosts "$1/etc/"
  apt-config dump | grep -E '^Acquire::(https?|Check-)' >"$1/etc/apt/apt.conf.d/90host" || true
  # npm trusts what this machine's does.
  if [[ -n ${NODE_EXTRA_CA_CERTS:-} ]]; then
    cp --dereference "$NODE_EXTRA_CA_CERTS" "$1/etc/npm-ca.pem"
    echo "cafile=/etc/npm-ca.pem" >"$1/root/.npmrc"
  fi
  rm -rf --one-file-system "$1/pairbench"
  mkdir "$1/pairbench"
  git -C "$2" ls-files -z --cached --others --exclude-standard |
    tar -C "$2" --null --files-from=- -cf - | tar -C "$1/pairbench" -xf -
}

# inside FOLDER COMMAND...: in its /pairbench. What is mounted there is seen by nobody else, and ends with the command.
# The folder is a mount of its own, since network namespaces are entered with a / that is one.
inside() {
  # shellcheck disable=SC2016  # for the inner shell
  unshare --mount --pid --fork --kill-child bash -Eeuo pipefail -c '
    mount --bind "$0" "$0"
    mount -t proc proc "$0/proc"
    mount --rbind /sys "$0/sys"
    mount -t tmpfs tmpfs "$0/dev/shm"
    mount -t tmpfs tmpfs "$0/run"
    mount -t devpts -o ptmxmode=666 devpts "$0/dev/pts"
    cd "$0" && exec chroot . env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
      bash -c "cd /pairbench && exec \"\$@\"" bash "$@"' "$@"
}

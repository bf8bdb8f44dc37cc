# shellcheck shell=bash
# The kernel, the modules and the initramfs of the machines of scripts/soft-roce, all in its $cache. They are
# fetched as Debian packages and unpacked; nothing is installed. Needs scripts/common.sh.
# shellcheck disable=SC2154  # variables of scripts/common.sh and scripts/soft-roce

# rdma_rxe wants a crc32 that it does not name as a dependency. The later ones are for networks made within.
modules=(crc32_generic crc32-pclmul crc32c_generic virtio_pci virtio_net 9p 9pnet_virtio overlay
  rdma_rxe ib_uverbs rdma_cm rdma_ucm sch_netem sch_tbf veth)

# Sets `kernel`, the folder with `vmlinuz`, `busybox` and `modules`. One that is there is used as it is.
provide_kernel() {
  kernel=$cache/kernel-$(printf '%s ' "${modules[@]}" | cksum | cut -d ' ' -f 1)
  [[ ! -d $kernel ]] || return 0
  find_image || {
    [[ $EUID -ne 0 ]] || step "reading package lists" apt-get update
    find_image || fail "no kernel for the machine" "apt knows no linux-image-amd64" \
      "on Debian, as root: apt-get update"
  }
  printf 'not here yet: %s (%s MB to fetch, %s MB on disk while it is unpacked, 20 MB kept in %s)\n' "$image" \
    $(($(size_of "$image" Size) / 1000000)) $(($(size_of "$image" Installed-Size) / 1000)) "$cache"
  confirm "fetch it? it is not installed"
  step "fetching and unpacking a kernel (takes a minute)" make_kernel
}

# Sets `image`, the package that linux-image-amd64 stands for.
find_image() {
  image=$(apt-cache depends linux-image-amd64 2>/dev/null | awk '/^ *Depends: linux-image-/ { print $2; exit }')
  [[ -n $image ]]
}

size_of() {
  apt-cache show --no-all-versions "$1" | awk -v field="$2:" '$1 == field { print $2; exit }'
}

# In a folder of its own until it is whole, so that two who make it at once do not meet.
make_kernel() {
  local version
  work=$cache/work.$BASHPID
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work/new/modules"
  cd "$work" || return
  # Lists may be older than the archive, which then has a newer one.
  apt-get download "$image" busybox-static ||
    { apt-get update && find_image && apt-get download "$image" busybox-static; }
  dpkg -x "$image"_*.deb image
  dpkg -x busybox-static_*.deb busybox
  version=${image#linux-image-}
  cp "image/boot/vmlinuz-$version" new/vmlinuz
  cp busybox/bin/busybox new/busybox
  copy_modules image "$version" new/modules
  mv -T new "$kernel" || [[ -d $kernel ]]
}

# copy_modules ROOT VERSION FOLDER: the names in the folder sort in the order of loading.
copy_modules() {
  local path number=10
  PATH=$PATH:/usr/sbin:/sbin depmod -b "$1" "$2"
  PATH=$PATH:/usr/sbin:/sbin modprobe -d "$1" -S "$2" --show-depends -a "${modules[@]}" |
    awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
    while read -r path; do
      cp "$path" "$3/$((number++))-${path##*/}"
    done
}

# Sets `initramfs`, made anew where the kernel or the guest's scripts have changed.
provide_initramfs() {
  local guest=$root/scripts/soft_roce/guest
  initramfs=$kernel/initramfs-$(cat "$guest"/* | cksum | cut -d ' ' -f 1)
  [[ -f $initramfs ]] || step "packing the initramfs" make_initramfs "$guest"
}

make_initramfs() {
  work=$cache/work.$BASHPID
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work"/{bin,dev,proc,sys,root,scratch}
  cp -r "$kernel/modules" "$work/modules"
  cp "$kernel/busybox" "$work/bin/busybox"
  ln -s busybox "$work/bin/sh"
  cp "$1"/* "$work/"
  chmod 755 "$work/init"
  (cd "$work" && find . | cpio --quiet -o -H newc | gzip -1) >"$work.gz"
  find "$kernel" -name 'initramfs-*' -mtime +7 -delete # another checkout may be using a younger one
  mv "$work.gz" "$initramfs"
}

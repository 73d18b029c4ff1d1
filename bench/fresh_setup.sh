#!/usr/bin/env bash
# Times `./setup demo` on a Debian 12 that has git and nothing else: no compiler, no cache.
#
#   bench/fresh_setup.sh [demo|package|test]
#
# Needs root and debootstrap. Makes a chroot in a temporary folder, clones this repository into it
# and removes it afterwards. Prints the seconds, which include the installation of packages, and the
# size of the program.
set -euo pipefail
cd "$(dirname "$0")/.."

what=${1:-demo}
[ "$(id -u)" -eq 0 ] || { echo "fresh_setup: needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || {
  echo "fresh_setup: apt-get install debootstrap" >&2
  exit 1
}

root=$(mktemp -d)
cleanup() {
  umount "$root/proc" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap cleanup EXIT

debootstrap --variant=minbase --include=git,ca-certificates bookworm "$root" >"$root.log" 2>&1 ||
  { tail -n 5 "$root.log" >&2; exit 1; }
rm -f "$root.log"
# The packages come from where those of this machine come from.
cp -r /etc/apt/. "$root/etc/apt/"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp -r /etc/ssl/certs/. "$root/etc/ssl/certs/"
npmrc=$(npm config get globalconfig 2>/dev/null || true)
[ ! -f "$npmrc" ] || cp "$npmrc" "$root/etc/npmrc"
mount -t proc proc "$root/proc"
git clone -q . "$root/reeve"

begin=$(date +%s)
chroot "$root" /usr/bin/env HOME=/root CCACHE_DISABLE=1 bash -c "cd /reeve && ./setup $what"
echo "./setup $what: $(($(date +%s) - begin)) s on $(nproc) cores, packages included"
echo "the program: $(stat -c %s "$root/reeve/build/release/reeve") bytes"

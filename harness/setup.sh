#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is missing to build and run iobench, and nothing else:
#   harness/setup.sh build    what `make build` and `make bench` need
#   harness/setup.sh test     the same and what the tests need
#   harness/setup.sh check    the same and what `make check` needs
# Debian and its relatives: by apt-get, as root or with sudo. Elsewhere: prints the one command and stops.
set -eu

purpose=${1:?usage: harness/setup.sh build|test|check}

# Each line: what is looked for (a command, or pc:NAME for a pkg-config module), then the package that brings it on
# Debian, Fedora, Arch, openSUSE and Alpine.
needs_build='
c++              g++                 gcc-c++              gcc            gcc-c++              g++
meson            meson               meson                meson          meson                meson
ninja            ninja-build         ninja-build          ninja          ninja                samurai
pkg-config       pkg-config          pkgconf-pkg-config   pkgconf        pkgconf-pkg-config   pkgconf
hyperfine        hyperfine           hyperfine            hyperfine      hyperfine            hyperfine
gnuplot          gnuplot-nox         gnuplot-minimal      gnuplot        gnuplot              gnuplot
strace           strace              strace               strace         strace               strace
valgrind         valgrind            valgrind             valgrind       valgrind             valgrind
ip               iproute2            iproute              iproute2       iproute2             iproute2
tc               iproute2            iproute-tc           iproute2       iproute2             iproute2-tc
nsenter          util-linux          util-linux           util-linux     util-linux           util-linux
pc:CLI11         libcli11-dev        cli11-devel          cli11          cli11-devel          cli11-dev
pc:tomlplusplus  libtomlplusplus-dev tomlplusplus-devel   tomlplusplus   tomlplusplus-devel   tomlplusplus-dev
pc:nlohmann_json nlohmann-json3-dev  json-devel           nlohmann-json  nlohmann_json-devel  nlohmann-json
pc:fmt           libfmt-dev          fmt-devel            fmt            fmt-devel            fmt-dev
pc:libxxhash     libxxhash-dev       xxhash-devel         xxhash         libxxhash-devel      xxhash-dev
pc:liburing      liburing-dev        liburing-devel       liburing       liburing-devel       liburing-dev'
needs_test='
pc:catch2        catch2              catch2-devel         catch2         Catch2-devel         catch2-3'
needs_check='
shellcheck       shellcheck          ShellCheck           shellcheck     ShellCheck           shellcheck
cppcheck         cppcheck            cppcheck             cppcheck       cppcheck             cppcheck
clang++          clang               clang                clang          clang                clang
clang-tidy       clang-tidy          clang-tools-extra    clang          clang-tools          clang-extra-tools
gcovr            gcovr               gcovr                python-gcovr   gcovr                gcovr
mkfs.xfs         xfsprogs            xfsprogs             xfsprogs       xfsprogs             xfsprogs
mkfs.btrfs       btrfs-progs         btrfs-progs          btrfs-progs    btrfsprogs           btrfs-progs'

case $purpose in
  build) needs=$needs_build ;;
  test) needs=$needs_build$needs_test ;;
  check) needs=$needs_build$needs_test$needs_check ;;
  *) echo "setup.sh: unknown purpose '$purpose': build, test or check" >&2; exit 2 ;;
esac

if command -v apt-get >/dev/null 2>&1; then column=2 install='apt-get install -y --no-install-recommends'
elif command -v dnf >/dev/null 2>&1; then column=3 install='dnf install -y'
elif command -v pacman >/dev/null 2>&1; then column=4 install='pacman -S --needed'
elif command -v zypper >/dev/null 2>&1; then column=5 install='zypper install -y'
elif command -v apk >/dev/null 2>&1; then column=6 install='apk add'
else column=2 install=''
fi

PATH=$PATH:/usr/sbin:/sbin  # where an ordinary user's may not lead, and file systems are made

present() {
  case $1 in
    # Catch2 3 splits its main off under another name.
    pc:catch2) pkg-config --exists catch2-with-main 2>/dev/null || pkg-config --exists catch2 2>/dev/null ;;
    pc:*) pkg-config --exists "${1#pc:}" 2>/dev/null ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}

find_missing() {
  missing="" missing_things=""
  while read -r thing debian fedora arch suse alpine; do
    [ -n "$thing" ] || continue
    present "$thing" && continue
    set -- "$thing" "$debian" "$fedora" "$arch" "$suse" "$alpine"
    shift $((column - 1))
    missing="$missing $1" missing_things="$missing_things ${thing#pc:}"
  done <<EOF
$needs
EOF
}

find_missing
[ -n "$missing" ] || exit 0
echo "setup: missing:$missing_things" >&2

if [ "$column" != 2 ] || [ -z "$install" ]; then
  if [ -n "$install" ]; then echo "setup: install them with:  $install$missing" >&2
  else echo "setup: no package manager that I know; install them and run make again (Debian's names:$missing)" >&2
  fi
  exit 1
fi

as_root=
if [ "$(id -u)" != 0 ]; then
  if command -v sudo >/dev/null 2>&1; then as_root=sudo
  else
    echo "setup: neither root nor sudo; as root, run:  apt-get update && $install$missing" >&2
    exit 1
  fi
fi
export DEBIAN_FRONTEND=noninteractive
# A fresh machine has no package lists; one that has them is asked first, since updating takes longest.
# shellcheck disable=SC2086 # the lists are words
$as_root $install $missing >/dev/null 2>&1 ||
  { $as_root apt-get update -q && $as_root $install -q $missing; } >&2 ||
  { echo "setup: could not install:$missing" >&2; exit 1; }

find_missing
[ -z "$missing" ] || { echo "setup: installed, but still not found:$missing_things" >&2; exit 1; }

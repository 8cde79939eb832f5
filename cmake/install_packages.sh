#!/bin/sh
# Installs the Debian 12 packages of the named sets that are missing. Needs root or sudo, and only
# when something is missing.
#   install_packages.sh base [python] [nn] [torch] [fuzz] [bench] [deb] [dicom] [lint]
set -eu

packages=""
for set_name in "$@"; do
  case "$set_name" in
    base) packages="$packages g++ cmake ninja-build ccache git libgtest-dev zlib1g-dev nlohmann-json3-dev libcli11-dev libpng-dev libjpeg-dev libtiff-dev libwebp-dev libjxl-dev libopenjp2-7-dev libdcmtk-dev" ;;
    # The OpenMP build of OpenBLAS: reference BLAS is eight times slower, and the serial build gives
    # wrong results with several threads.
    nn) packages="$packages libtorch-dev libgloo-dev libopenblas0-openmp libtomlplusplus-dev libmicrohttpd-dev" ;;
    # What builds the Python package, and what its tests use.
    python) packages="$packages python3-dev python3-pip python3-venv pybind11-dev python3-numpy python3-pytest python3-hypothesis python3-matplotlib python3-sklearn python3-yaml" ;;
    torch) packages="$packages python3-torch" ;;
    fuzz) packages="$packages clang-14 libclang-rt-14-dev libtomlplusplus-dev python3" ;;
    bench) packages="$packages python3-numpy" ;;
    # A PACS and the tools of DICOM, for tests of the DICOM node.
    dicom) packages="$packages dcmtk orthanc" ;;
    deb) packages="$packages dpkg-dev fakeroot file debootstrap" ;;
    lint) packages="$packages clang-format-14 clang-tidy-14" ;;
    *) echo "install_packages.sh: there is no set '$set_name' (base, python, nn, torch, fuzz, bench, deb, dicom, lint)" >&2; exit 2 ;;
  esac
done

missing=""
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "install_packages.sh: apt-get is not here; install by hand:$missing" >&2
  exit 1
fi
as_root=""
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install_packages.sh: run as root, or install by hand:$missing" >&2
    exit 1
  fi
  as_root="sudo"
fi
echo "installing:$missing"
$as_root apt-get update -qq
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null

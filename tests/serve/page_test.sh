#!/bin/sh
# page_test.sh FIXTURE PYTHON CUBCAL [PICTURE_FOLDER]: the page with a small model.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$1" "$scratch"
"$2" "$(dirname "$0")/drive_page.py" "$3" "$scratch/model" "$scratch" ${4:+"$4"}

#!/bin/sh
# lint_changed.sh SINCE BUILD JOBS: compiles each header that differs from the commit SINCE alone, and
# runs clang-tidy over such sources, by the compile commands in BUILD. A history that does not reach so
# far back has all of them checked.
set -eu
since="$1"
build="$2"
jobs="$3"
git rev-parse --quiet --verify "$since^{commit}" >/dev/null || since=$(git hash-object -t tree /dev/null)
for half in cubcal cubcal_nn; do
  # Those of a half that is not configured have no flags.
  flags=$(grep -m 1 "\"command\":.*/src/$half/" "$build/compile_commands.json" |
    grep -oE -e '-std=[^ ]+|-I[^ ]+|-isystem [^ ]+' | tr '\n' ' ') || flags=""
  headers=$(git diff --name-only --diff-filter=d "$since" -- "src/$half/*.h")
  [ -z "$headers" ] || [ -z "$flags" ] || tests/check_headers.sh "${CXX:-c++} $flags" $headers
done
changed=$(git diff --name-only --diff-filter=d "$since" -- 'src/*.cpp' 'apps/*.cpp')
built=""
left=0
for file in $changed; do
  # Sources of a half that is not configured have no command.
  if grep -q "\"file\": \".*/$file\"" "$build/compile_commands.json"; then
    built="$built $file"
  else
    left=$((left + 1))
  fi
done
set -- $built
echo "clang-tidy: $# of $(echo $changed | wc -w) changed sources, $left without a compile command"
[ $# -eq 0 ] || printf '%s\n' "$@" | xargs -n 1 -P "$jobs" clang-tidy-14 -p "$build" --quiet

#!/bin/sh
# lint_changed.sh SINCE BUILD JOBS: clang-tidy over the sources that differ from the commit SINCE, by
# the compile commands in BUILD. A history that does not reach so far back has all its sources checked.
set -eu
since="$1"
build="$2"
jobs="$3"
git rev-parse --quiet --verify "$since^{commit}" >/dev/null || since=$(git hash-object -t tree /dev/null)
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

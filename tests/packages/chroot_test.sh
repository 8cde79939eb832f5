#!/bin/bash
# Installs the packages of `make deb` in a clean Debian 12 and uses them there as a user would: the README's
# commands, shards, manual pages, completions, Python, a C++ program, the server with the Dockerfile's health
# check, and the Dockerfile's RUN commands. Needs root and a mirror; not one of `make test`'s.
#   chroot_test.sh FOLDER_OF_PACKAGES ROOT_OF_THE_REPOSITORY
# BASE, a folder that debootstrap made, saves making one; MIRROR is where packages come from.
set -euo pipefail
packages=$(realpath "$1") repository=$(realpath "$2")
mirror=${MIRROR:-http://deb.debian.org/debian}
work=$(mktemp -d)
cleanup() {
  local mounted
  for mounted in "$work"/*/proc "$work"/*/sys; do umount "$mounted" 2> /dev/null || true; done
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT

if [ -n "${BASE:-}" ]; then
  cp -a "$BASE" "$work/base"
else
  debootstrap --variant=minbase bookworm "$work/base" "$mirror" > "$work/debootstrap.log"
fi

# fresh NAME: a copy of the clean system with the packages in /tmp.
fresh() {
  cp -a "$work/base" "$work/$1"
  cp /etc/resolv.conf "$work/$1/etc/resolv.conf"
  printf '#!/bin/sh\nexit 101\n' > "$work/$1/usr/sbin/policy-rc.d"
  chmod 755 "$work/$1/usr/sbin/policy-rc.d"
  echo force-unsafe-io > "$work/$1/etc/dpkg/dpkg.cfg.d/unsafe-io"
  mount -t proc proc "$work/$1/proc"
  mount -t sysfs sysfs "$work/$1/sys"  # LibTorch counts processors there
  cp "$packages"/*.deb "$work/$1/tmp/"
}
# inside NAME: runs the commands of standard input there.
inside() {
  DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    chroot "$work/$1" /bin/bash -euo pipefail
}
# block N LANGUAGE: the Nth fenced block of that language in the README.
block() {
  awk -v wanted="$1" -v fence="\`\`\`$2" '
    $0 == fence { if (++seen == wanted) { inside = 1; next } }
    /^```$/ { inside = 0 }
    inside' "$repository/README.md"
}
step() { echo "== $*"; }

step "cubcal and python3-cubcal into a clean system"
fresh use
inside use << 'END'
apt-get update -qq
apt-get install -y -qq --no-install-recommends /tmp/cubcal_*.deb /tmp/python3-cubcal_*.deb > /tmp/apt.log 2>&1 || { tail -20 /tmp/apt.log; exit 1; }
test "$(cubcal --version)" = "cubcal $(dpkg-query -W -f '${Version}' cubcal)"
END

step "the README's commands for logits, and the same in Python"
{ echo 'cd /root'; block 1 sh; } | inside use | tail -3
{ echo 'cd /root; cat > readme.py << "PYTHON"'; block 1 python; echo 'PYTHON'; echo 'python3 readme.py'; } | inside use | tail -3

step "a model, two shards, their merge and one process: the same bytes"
inside use << 'END'
cd /root
cat > small.toml << 'TOML'
[data.phantom]
train = 60
val = 30
test = 8
ood = 8
image_size = 16
[stage1]
epochs = 1
TOML
cubcal train small.toml --out run > train.log
cubcal logits --model run --data phantom --split val -o whole.npz --convolution panels > /dev/null
for shard in 1/2 2/2; do cubcal logits --model run --data phantom --split val -o part.npz --shard $shard > /dev/null; done
cubcal merge part.*-of-2.npz -o merged.npz
cmp whole.npz merged.npz
END

step "manual pages, completions, the list of what is linked"
inside use << 'END'
zcat /usr/share/man/man1/cubcal-evaluate.1.gz | grep -q '^.SH OPTIONS'
source /usr/share/bash-completion/completions/cubcal
COMP_WORDS=(cubcal calibrate --method dts-) COMP_CWORD=3; _cubcal
test "${COMPREPLY[*]}" = dts-guarded
test -s /usr/share/fish/vendor_completions.d/cubcal.fish && test -s /usr/share/zsh/vendor-completions/_cubcal
test -x /usr/share/doc/cubcal/examples/slurm-predict.sh
python3 -c 'import json; d = json.load(open("/usr/share/doc/cubcal/cubcal.cdx.json")); print(len(d["components"]), "components")'
python3 - << 'PYTHON'
# Every Debian package whose library the list names is one that the packages brought along.
import json, subprocess
for each in json.load(open("/usr/share/doc/cubcal/cubcal.cdx.json"))["components"]:
    linked = [p["value"] for p in each.get("properties", []) if p["name"] == "cubcal:linked"]
    if linked and linked[0].startswith("shared"):
        subprocess.run(["dpkg-query", "-W", each["name"]], check=True, stdout=subprocess.DEVNULL)
PYTHON
END

step "libcubcal-dev: the C++ guide's program for arrays"
mkdir "$work/use/root/consumer"
cp "$repository/tests/install/CMakeLists.txt" "$work/use/root/consumer/"
awk '/^```cpp$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$repository/docs/guide-cpp.md" \
  > "$work/use/root/consumer/program1.cpp"
inside use << 'END'
apt-get install -y -qq --no-install-recommends /tmp/libcubcal-dev_*.deb g++ cmake make > /tmp/apt.log 2>&1 || { tail -20 /tmp/apt.log; exit 1; }
cd /root/consumer && cmake -DNN=OFF -S . -B build > /dev/null && cmake --build build > /dev/null && build/arrays | tail -3
END

step "removed without a trace"
inside use << 'END'
apt-get purge -y -qq cubcal libcubcal-dev python3-cubcal > /tmp/apt.log 2>&1
left=$(find /usr -name '*cubcal*' -not -path '/usr/share/doc/*'); test -z "$left" || { echo "left: $left"; exit 1; }
END

step "the Dockerfile's RUN commands, its server and its health check"
fresh image
cp "$work"/use/var/cache/apt/archives/*.deb "$work/image/var/cache/apt/archives/"
mkdir -p "$work/image/model" "$work/image/run/secrets"
cp -a "$work/use/root/run/." "$work/image/model/"
echo secret-of-the-test > "$work/image/run/secrets/token"
# Lines that end in a backslash go on; each RUN is a command.
sed -e ':a' -e '/\\$/N; s/\\\n//; ta' "$repository/packaging/Dockerfile" > "$work/Dockerfile"
sed -n 's/^RUN //p' "$work/Dockerfile" | sed 's/apt-get install -y/apt-get install -y -qq/' | inside image > "$work/run.log" 2>&1 \
  || { tail -20 "$work/run.log"; exit 1; }
health=$(sed -n 's/^HEALTHCHECK.* CMD //p' "$work/Dockerfile")
serve=$(sed -n 's/^CMD //p' "$work/Dockerfile" | /usr/bin/python3 -c 'import json, shlex, sys; print(shlex.join(json.load(sys.stdin)))')
inside image << END
chown cubcal /run/secrets/token && chmod 400 /run/secrets/token
setpriv --reuid cubcal --regid cubcal --clear-groups cubcal $serve > /tmp/serve.log 2>&1 &
server=\$!
for attempt in \$(seq 120); do if ( $health ) > /dev/null 2>&1; then break; fi; sleep 0.5; done
( $health ) > /dev/null || { cat /tmp/serve.log; exit 1; }
test "\$(curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:8080/v1/models)" = 401
curl -fsS -H 'Authorization: Bearer secret-of-the-test' http://127.0.0.1:8080/v1/models > /dev/null
kill -TERM \$server; wait \$server
END
echo "all packages were installed, used and removed"

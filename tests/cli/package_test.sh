#!/usr/bin/env bash
# The package: one program that runs on glibc 2.34, small, with its manual page and completions.
source "$(dirname "$0")/expect.bash"

build=$(dirname "$REEVE")
if grep -qiE '^REEVE_SANITIZE:BOOL=(on|true|1)$' "$build/CMakeCache.txt"; then
  echo "skipped: a build with sanitizers is not packed"
  exit 77
fi

# Symbols of the C library: none newer than glibc 2.34, and no other shared library of C++.
newest=$(objdump -T "$REEVE" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
[ "$(printf '%s\n' GLIBC_2.34 "$newest" | sort -V | tail -n 1)" = GLIBC_2.34 ] ||
  fail "the program needs $newest: $(objdump -T "$REEVE" | grep -F "$newest")"
libraries=$(objdump -p "$REEVE" | sed -n 's/^ *NEEDED *//p' |
  grep -vE '^(lib(c|m)\.so\.6|ld-linux.*)$' || true)
[ -z "$libraries" ] || fail "the program needs $libraries"
[ "$(stat -c %s "$REEVE")" -lt 20000000 ] || fail "the program has $(stat -c %s "$REEVE") bytes"

(cd "$scratch" && cpack --config "$build/CPackConfig.cmake" -B "$scratch/packed") >cpack.log 2>&1 ||
  fail "cpack: $(tail -n 5 cpack.log)"
for file in packed/*.tar.gz packed/*.deb; do
  [ "$(stat -c %s "$file")" -lt 15000000 ] || fail "$file has $(stat -c %s "$file") bytes"
done
mkdir unpacked
tar -xzf packed/*.tar.gz -C unpacked --strip-components=1
for file in bin/reeve share/man/man1/reeve.1 share/bash-completion/completions/reeve \
  share/zsh/vendor-completions/_reeve share/fish/vendor_completions.d/reeve.fish \
  include/reeve/policy/policy.hpp; do
  [ -s "unpacked/$file" ] || fail "the package lacks $file"
done
env -i unpacked/bin/reeve demo -o weekend >stdout 2>stderr || fail "the packed program fails"
has stdout "9 of 9 expectations"
manual=unpacked/share/man/man1/reeve.1
grep -q '^\.TH REEVE 1' "$manual" || fail "reeve.1 is no manual page"
for command in $("$REEVE" completion bash | sed -n 's/^    "") words="//p' | tr -d '";'); do
  # In roff, a hyphen of a word that is typed is `\-`.
  grep -qE "^\.SS reeve ${command//-/\\\\-}( |\$)" "$manual" || case $command in
    -*) ;;
    *) fail "the manual page lacks $command" ;;
  esac
done
dpkg-deb --info packed/*.deb >stdout
has stdout "Depends: libc6 (>= 2.34)"

# What is thrown is caught: the program finds its own frames (app/old_glibc.cpp).
status=0
unpacked/bin/reeve check missing.jsonc >stdout 2>stderr || status=$?
[ "$status" -eq 3 ] || fail "an error ends with $status"
done_checking

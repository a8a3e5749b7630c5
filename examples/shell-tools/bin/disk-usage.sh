#!/bin/sh
# Serves files.disk-usage: {"path": "..."} on stdin, the size on stdout.
# The Tool's schema allows only plain letters in `path`, so cutting it out with sed is safe.
set -eu

path=$(tr -d '\n' | sed -n 's/.*"path"[[:space:]]*:[[:space:]]*"\([A-Za-z0-9_.\/-]*\)".*/\1/p')
if [ ! -d "./$path" ]; then
    echo "there is no folder $path" >&2
    exit 3
fi
size=$(du -sk "./$path" | cut -f 1)
printf '{"path": "%s", "kibibytes": %d}\n' "$path" "$size"

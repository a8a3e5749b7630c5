#!/bin/sh
# Serves files.word-count: {"path": "..."} on stdin, the counts on stdout.
# The Tool's schema allows only plain letters in `path`, so cutting it out with sed is safe.
set -eu

path=$(tr -d '\n' | sed -n 's/.*"path"[[:space:]]*:[[:space:]]*"\([A-Za-z0-9_.\/-]*\)".*/\1/p')
if [ ! -f "./$path" ]; then
    echo "there is no file $path" >&2
    exit 3
fi
counts=$(wc -l -w -c < "./$path")
# Unquoted on purpose: three numbers become three words.
# shellcheck disable=SC2086
set -- $counts
echo "counted $path in turn $ORDAIN_TURN" >&2
printf '{"path": "%s", "lines": %d, "words": %d, "bytes": %d}\n' "$path" "$1" "$2" "$3"

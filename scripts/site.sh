#!/bin/sh
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
# The pages of docs/ as a site in build/site, by tools from PyPI that scripts/site-requirements.txt pins.
# `scripts/site.sh COMMAND`: COMMAND is a build's cxlgpu, whose help is a page.
# Fails on a link, an anchor or an entry of nav that leads nowhere, on a page that is not in nav, and on a page that
# fetches anything from elsewhere when it is viewed.
# Exit status: 0, 1, or 2 when something is missing. When PyPI cannot be reached: 2 with CI set, else a line and 0.
set -u
command=$(realpath "${1:?usage: scripts/site.sh COMMAND}") || exit 2
cd "$(dirname "$0")/.." || exit 2
[ -x "$command" ] || { echo "site: there is no $command; make build" >&2; exit 2; }
requirements=scripts/site-requirements.txt
venv=build/venv-site
if ! cmp -s "$requirements" "$venv/complete"; then
  rm -rf "$venv"
  { python3 -m venv "$venv" &&
    "$venv/bin/pip" install -q --disable-pip-version-check --only-binary :all: --require-hashes -r "$requirements" &&
    cp "$requirements" "$venv/complete"; } >&2 || {
    echo "site: not all to be had of $requirements (no network?); the site is left out" >&2
    [ -z "${CI:-}" ] || exit 2
    exit 0
  }
fi
NO_MKDOCS_2_WARNING=1 CXLGPU=$command "$venv/bin/python" -m mkdocs build --strict || exit 1
if grep -rnoE --include='*.html' '<(script|img|iframe|link [^>]*rel="?(stylesheet|preload|icon)"?)[^>]*(src|href)="?(https?:)?//[^ >]*' \
  build/site >&2; then
  echo "site: these are fetched when a page is viewed" >&2
  exit 1
fi
echo "build/site/index.html"

#!/bin/sh
# The browser in which the pages of a server are tried: installed where that can be done without asking anybody.
# Without one the tests of the pages fail and say so.
for name in chromium chromium-browser google-chrome; do
  command -v "$name" > /dev/null && exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  echo "Installing Debian's package chromium, for the tests of the pages (once, a minute or two)"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core > /dev/null && exit 0
fi
echo "There is no Chromium here, and it cannot be installed: the tests of the pages will fail." >&2

#!/bin/sh
# The Java that Spark runs on, for the tests of that engine: installed where that can be done without asking anybody.
# Without one those tests fail and say so.
command -v java > /dev/null && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  echo "Installing Debian's package openjdk-17-jre-headless, for the tests of Spark (once, a minute or two)"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq && apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless > /dev/null && exit 0
fi
echo "There is no Java here, and it cannot be installed: the tests of Spark will fail." >&2

#!/bin/sh
# Print the first Python on this machine that is new enough and can make a virtual environment.
# PYTHON=/path/to/python, if set, is the only one tried.
probe='import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'
for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14 python}; do
    if "$candidate" -c "$probe" >/dev/null 2>&1; then
        command -v "$candidate"
        exit 0
    fi
done
{
    echo "Partita needs Python 3.11 or newer with the venv module, and none was found."
    echo "Tried: ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14 python}"
    echo "(here python3 is: $(python3 --version 2>&1 | head -n 1))"
    echo "Install one (on Debian and Ubuntu also its python3-venv package), or name it: make test PYTHON=/path/to/python3.11"
} >&2
exit 1

#!/bin/sh
# Bring .venv in line with a file of pinned requirements: tools/venv.sh REQUIREMENTS
# A copy of what was installed last is kept inside, so that nothing happens when it is the same.
set -eu

requirements=$1
python=${PYTHON:-python3}
venv=.venv
installed=$venv/installed-$requirements

if [ -x $venv/bin/python ] && cmp -s "$requirements" "$installed"; then
    exit 0
fi

give_up() {
    echo "$1" >&2
    exit 1
}

command -v "$python" >/dev/null ||
    give_up "Python 3.11 or newer is needed and $python is not here. On Debian and Ubuntu: apt-get install python3 python3-venv"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    give_up "Python 3.11 or newer is needed; this is $("$python" --version 2>&1). Install python3.11 and python3.11-venv, then give its name: make run PYTHON=python3.11"
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    give_up "$python has no venv module. On Debian and Ubuntu: apt-get install python3-venv"

if ! $venv/bin/python -m pip --version >/dev/null 2>&1; then
    echo "Making $venv"
    "$python" -m venv --clear $venv
fi
rm -f "$installed"
echo "Installing $requirements"
$venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r "$requirements"
cp "$requirements" "$installed"

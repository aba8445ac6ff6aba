import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from partita.sampling import entropy, rounded

FORK = """
import os, sys
from partita.sampling import entropy, rounded
bits = entropy.system()
bits.words({count}), rounded.laplace(10**6, 10, bits=bits)
read, write = os.pipe()
child = os.fork()
drawn = bits.words({count}).tobytes().hex() + " " + repr(rounded.laplace(10**6, {count}, bits=bits).tolist())
if child == 0:
    with os.fdopen(write, "w") as out:
        out.write(drawn)
    os._exit(0)
os.close(write)
with os.fdopen(read) as heard:
    other = heard.read()
os.waitpid(child, 0)
mine, theirs = drawn.split(" ", 1), other.split(" ", 1)
print(mine[0] != theirs[0], mine[1] != theirs[1])
"""


@pytest.mark.parametrize("count", [4, 3000])
def test_a_forked_child_and_its_parent_draw_different_noise(count):
    run = subprocess.run([sys.executable, "-c", FORK.format(count=count)], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "True"]


@pytest.mark.parametrize("count", [50, 1000])
def test_threads_never_share_a_word(count):
    bits = entropy.system()
    with ThreadPoolExecutor(8) as pool:
        drawn = np.concatenate(list(pool.map(lambda _: bits.words(count), range(200))))
    assert len(np.unique(drawn)) == len(drawn)


@pytest.mark.parametrize("count", [1, 256, 257, 100_000, (1 << 17) + 3])
def test_every_call_asks_the_operating_system_anew(monkeypatch, count):
    asked = []
    real = os.urandom
    monkeypatch.setattr(entropy.os, "urandom", lambda n: asked.append(n) or real(n))
    first, second = entropy.system().words(count), entropy.system().words(count)
    assert len(first) == len(second) == count
    assert len(asked) == 2
    assert min(asked) >= min(32, 8 * count)
    assert (first != second).any()


def test_a_key_is_replaced_after_a_bounded_volume(monkeypatch):
    asked = []
    real = os.urandom
    monkeypatch.setattr(entropy, "_PER_KEY", 1 << 16)
    monkeypatch.setattr(entropy.os, "urandom", lambda n: asked.append(n) or real(n))
    words = entropy.system().words(1 << 15)
    assert asked == [32] * 4
    assert len(np.unique(words)) == len(words)


def test_every_bit_of_the_system_source_is_balanced():
    n = 200_000
    words = entropy.system().words(n)
    ones = np.array([int(((words >> np.uint64(k)) & np.uint64(1)).sum()) for k in range(64)])
    # Hoeffding over 64 bits: 128 exp(-2 * 1600^2 / n) < 1e-9.
    assert np.abs(ones - n / 2).max() < 1600


def test_no_words_are_an_empty_array():
    assert entropy.system().words(0).tolist() == []
    assert rounded.laplace(3, 0, bits=entropy.system()).tolist() == []

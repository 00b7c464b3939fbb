"""Number words by a table of those that were seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isonomy._core.jit import kernel

# Odd, with bits all over: the highest bits of a product depend on all bits of the other factor.
SPREAD = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
ONE = np.uint64(1)
# Words that meet another one's place look on, so many times per word at most.
LOOKS = 8


@kernel
def number_words(
    words: NDArray[np.uint64], numbers: NDArray[np.uint32], seen: NDArray[np.uint64]
) -> int:
    """Give each word the number of its first like, counted from 0; how many are different.

    `seen` gets them. -1 where they are more than it holds, or meet each other too often.
    """
    n_bits = 4
    while 1 << n_bits < 4 * seen.size:
        n_bits += 1
    shift, mask = np.uint64(64 - n_bits), np.uint64((1 << n_bits) - 1)
    # One more than the number of the word at each place; 0 where there is none.
    places = np.zeros(1 << n_bits, np.uint32)
    found = looks = 0
    for i in range(words.size):
        word = words[i]
        at = ((word ^ (word >> HALF)) * SPREAD) >> shift
        while places[at] != 0 and seen[places[at] - 1] != word:
            at = (at + ONE) & mask
            looks += 1
        if places[at] == 0:
            if found == seen.size or looks > LOOKS * words.size:
                return -1
            seen[found] = word
            found += 1
            places[at] = found
        numbers[i] = places[at] - 1
    return found

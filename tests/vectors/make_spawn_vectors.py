"""Uniform numbers of spawned streams, from NumPy.

Run:  python make_spawn_vectors.py > spawn_vectors.json      (numpy >= 1.26)

Stream i of seed s is numpy.random.default_rng(numpy.random.SeedSequence(s).spawn(n)[i]), for any n above i.
For large i the child is made directly, by its spawn key, which is what spawn() does; the small ones assert it.
"""
import json, sys
import numpy as np

SEEDS = (0, 1, 42, 2**32 - 1, 2**32, 2**53 - 1, 2**64 - 1)
INDICES = (0, 1, 2, 7, 1000, 2**31, 2**32 - 1)


def child(seed, index):
    made = np.random.SeedSequence(seed, spawn_key=(index,))
    if index <= 1000:
        spawned = np.random.SeedSequence(seed).spawn(index + 1)[index]
        assert (made.generate_state(8) == spawned.generate_state(8)).all()
    return made


def main():
    streams = [dict(seed=seed, index=index, uniforms=np.random.default_rng(child(seed, index)).random(4).tolist())
               for seed in SEEDS for index in INDICES]
    # The n-th number of a long stream, for the jump ahead.
    far = []
    for seed in (0, 42, 2**64 - 1):
        for step in (0, 1, 1000, 10**6, 2**40, 2**64 - 1):
            bits = np.random.PCG64(seed)
            bits.advance(step)
            far.append(dict(seed=seed, step=step, uniform=np.random.Generator(bits).random()))
    json.dump(dict(numpy=np.__version__, generator="default_rng(SeedSequence(seed).spawn(n)[index]).random()",
                   streams=streams, far=far), sys.stdout, indent=1, allow_nan=False)
    print()


main()

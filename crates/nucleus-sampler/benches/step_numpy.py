"""The step of benches/step.rs in NumPy, on the same logits.

    cargo bench -p nucleus-sampler
    python crates/nucleus-sampler/benches/step_numpy.py [folder of criterion's results]

Prints the time of each, and NumPy's over Rust's. The NumPy step is that of tests/vectors/make_sampler_vectors.py,
without its Python lists and dictionaries: arrays in, arrays out. It does less than the Rust one: no raw
log-probability, no mass of what was removed, no interval but the one that was hit.
"""
import json, os, pathlib, statistics, sys, time
import numpy as np

N_VOCAB = 50_257
CASES = {
    "a: T 0.8, k 40, p 0.95": (0.8, 40, 0.95),
    "b: T 0.8, k off, p 0.9": (0.8, 0, 0.9),
    "c: T 0.8, all off": (0.8, 0, 1.0),
    "d: T 1.3, k off, p 0.95 (thousands stay)": (1.3, 0, 0.95),
}


def logits():
    """Twelve uniforms added up, one after the other, as in step.rs."""
    uniforms = np.random.default_rng(50_257).random((N_VOCAB, 12))
    return (3.0 * (uniforms.cumsum(axis=1)[:, -1] - 6.0)).astype(np.float32)


def softmax(z):
    e = np.exp(z - np.max(z))
    return e / e.sum()


def step(logits, temperature, top_k, top_p, u):
    z = np.asarray(logits, dtype=np.float64)
    n = z.size
    z = z / temperature
    order = np.argsort(-z, kind="stable")
    kept = order if top_k == 0 or top_k >= n else order[:top_k]
    mass = softmax(z[kept])
    if top_p < 1.0:
        running = np.cumsum(mass)
        reach = np.nonzero(running >= top_p)[0]
        cut = int(reach[0]) + 1 if reach.size else kept.size
        kept = kept[:cut]
    probs = np.zeros(n)
    probs[kept] = softmax(z[kept])
    cumulative = np.cumsum(probs)
    hit = np.nonzero(u < cumulative)[0]
    token = int(hit[0]) if hit.size else int(np.nonzero(probs > 0)[0][-1])
    lo = float(cumulative[token - 1]) if token else 0.0
    live = np.nonzero(probs > 0)[0]
    entropy = float(-(probs[live] * np.log(probs[live])).sum())
    return token, kept, probs, (lo, float(cumulative[token])), entropy


def numpy_ms(values, case, runs=300):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        step(values, *case, 0.37)
        times.append(time.perf_counter() - start)
    return [1e3 * t for t in times]


def rust_ms(folder, name):
    """Milliseconds per step in each of criterion's samples of a benchmark."""
    for benchmark in folder.rglob("new/benchmark.json"):
        if json.loads(benchmark.read_text())["full_id"] == f"step/{name}":
            sample = json.loads((benchmark.parent / "sample.json").read_text())
            return [t / n / 1e6 for t, n in zip(sample["times"], sample["iters"])]
    sys.exit(f"{folder} has no step/{name}: run cargo bench -p nucleus-sampler first")


def main():
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target"))
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else target / "criterion"
    values = logits()
    # Where other programs run as well, medians measure them too: compare the fastest.
    for statistic in (min, statistics.median):
        print(f"{statistic.__name__} of each")
        for name, case in CASES.items():
            kept = step(values, *case, 0.37)[1].size
            numpy, rust = statistic(numpy_ms(values, case)), statistic(rust_ms(folder, name))
            print(f"  {name:40} {kept:6} kept   NumPy {numpy:7.3f} ms   Rust {rust:6.3f} ms   {numpy / rust:5.1f} times faster")


main()

# SPDX-License-Identifier: MIT
"""An image larger than memory, twice as large in both directions, a few chunks at a time.

pip install 'convtranspose[dask]' zarr
python dask_upsample.py --size 40000                       # to statistics of the result
python dask_upsample.py --size 40000 --output large.zarr   # to a disk
python dask_upsample.py --size 40000 --workers 4           # in processes of a local cluster

The source is drawn chunk by chunk; any Dask array does as well, such as
``dask.array.from_zarr("scan.zarr")``.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import time
from collections.abc import Iterator
from typing import Any

import dask.array as da
import numpy as np
from dask.diagnostics import ProgressBar

import convtranspose as ct
import convtranspose.dask


def drawn(block_info: dict[Any, Any]) -> np.ndarray:
    """Return one chunk of rings, in as many shades as there are channels."""
    (_, _), (first, last), (top, bottom), (left, right) = block_info[None]["array-location"]
    y, x = np.ogrid[top:bottom, left:right]
    radius = np.hypot(np.float32(y), np.float32(x))
    shades = np.arange(first + 1, last + 1, dtype=np.float32).reshape(-1, 1, 1)
    return np.sin(radius / np.float32(50) * shades)[np.newaxis]


def source_image(size: int, channels: int, chunk: int) -> da.Array:
    """Return a square image as a Dask array in NCHW."""
    edge = da.core.normalize_chunks(chunk, (size,))[0]
    return da.map_blocks(drawn, chunks=((1,), (channels,), edge, edge), dtype=np.float32)


def upsampled(source: da.Array) -> da.Array:
    """Return the image twice as large, bilinearly: one depthwise transposed convolution."""
    batch, channels, height, width = source.shape
    return convtranspose.dask.convolution_transpose_2d(
        source,
        ct.converters.bilinear_weights(2, channels),
        (batch, channels, 2 * height, 2 * width),
        ct.Convolution2DOpDescriptor.from_torch(stride=2, padding=1, groups=channels),
    )


def statistics(result: da.Array) -> da.Array:
    """Return mean, smallest and largest value; only one number of each chunk stays in memory."""
    return da.stack([result.mean(dtype=np.float64), result.min(), result.max()])


@contextlib.contextmanager
def scheduler(workers: int) -> Iterator[None]:
    """Run Dask in this process with a progress bar, or in worker processes with theirs."""
    if workers == 0:
        with ProgressBar():
            yield
        return
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=workers, threads_per_worker=1) as cluster, Client(cluster):
        yield


def compute(task: Any, workers: int) -> Any:
    """Return the task's result, showing how far it is."""
    if workers == 0:
        return task.compute()
    from distributed import progress

    future = task.persist()
    progress(future, notebook=False)
    return future.compute()


def peak_memory() -> float:
    """Return the largest resident size that this process or one of its children had, in MiB."""
    used = (
        resource.getrusage(w).ru_maxrss for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return max(used) / 1024


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=40000, help="edge of the result")
    parser.add_argument("--channels", type=int, default=3)
    parser.add_argument("--chunk", type=int, default=1000, help="edge of the source's chunks")
    parser.add_argument("--workers", type=int, default=0, help="processes; 0: threads of this one")
    parser.add_argument("--output", help="folder for a zarr array; without: statistics")
    options = parser.parse_args()

    result = upsampled(source_image(options.size // 2, options.channels, options.chunk))
    print(f"result {result.shape}, {result.nbytes / 2**30:.1f} GiB in {result.npartitions} chunks")
    start = time.perf_counter()
    with scheduler(options.workers):
        if options.output:
            compute(result.to_zarr(options.output, compute=False, overwrite=True), options.workers)
        else:
            mean, low, high = compute(statistics(result), options.workers)
            print(f"mean {mean:.6f}, from {low:.6f} to {high:.6f}")
    print(f"{time.perf_counter() - start:.1f} s, peak memory {peak_memory():.0f} MiB")


if __name__ == "__main__":
    main()

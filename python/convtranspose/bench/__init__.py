# SPDX-License-Identifier: MIT
"""An honest benchmark of transposed convolution and its gradients beside other libraries.

``convtranspose bench`` is its command line; ``bench/README.md`` in the repository says what each
figure means. Needs the ``bench`` extra; the peers are optional, each one.
"""

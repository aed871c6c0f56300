# SPDX-License-Identifier: MIT
"""``python -m convtranspose`` is the ``convtranspose`` command."""

import sys

from .cli import main

sys.exit(main())

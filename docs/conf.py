# SPDX-License-Identifier: MIT
"""The site of documentation: ``nox -s docs`` builds it into build/docs."""

import convtranspose

project = "convtranspose"
author = "the convtranspose authors"
project_copyright = "the convtranspose authors, MIT License"
release = version = convtranspose.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["images/README.md"]
html_theme = "furo"
html_title = f"convtranspose {release}"

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

# Backticks in docstrings are references where there is something to refer to, else just code.
default_role = "py:obj"
napoleon_google_docstring = False
napoleon_use_ivar = True  # a property may then have a docstring of its own
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # napoleon shows the types, in words
# The last registers rules in dictionaries of JAX's, which a mock has not.
autodoc_mock_imports = ["dask", "jax", "onnx", "torch", "convtranspose.jax.primitives"]

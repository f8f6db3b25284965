"""Compilation of plain Python to machine code with Numba, and its cache: the only package that imports Numba.

Other packages need only `native(function, *arguments)`. The modules:

- `bitboards`, `values`, `functions`, `pointers`: the types of compiled code (`Bitboard`, states, evaluations, helpers);
- `fingerprint`, `cache`: when compiled code may be reused, and where it is stored;
- `signatures`, `diagnosis`: errors of a game in terms of its own file;
- `_numba`: every private name of Numba that the others rely on.
"""

from zermelo.compiled.entries import native

__all__ = ["native"]

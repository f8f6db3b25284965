"""Compilation of plain Python to machine code with Numba, and its cache: the only package that imports Numba.

Other packages need only `native(function, *arguments)`, and `is_native`, which says whether it has to compile.
The main modules:

- `bitboards`, `values`, `functions`, `pointers`: the types of compiled code (`Bitboard`, states, evaluations, helpers);
- `fingerprint`, `cache`: when compiled code may be reused, and where it is stored;
- `signatures`, `diagnosis`: errors of a game in terms of its own file;
- `_numba`: every private name of Numba that the others rely on.
"""

from zermelo.compiled.entries import is_native, native

__all__ = ["is_native", "native"]

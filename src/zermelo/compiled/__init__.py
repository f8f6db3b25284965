"""How plain Python becomes machine code, and the cache of it: the only room that knows Numba's extensions.

`native(function, *arguments)` is all that the other rooms need. The rest of this folder:

- `bitboards`, `values`, `functions`: the types of compiled code (`Bitboard`, states and evaluations, helpers);
- `fingerprint`, `cache`: when code may be used again, and where it is kept;
- `diagnosis`: from Numba's trace to the line in the user's file.
"""

from zermelo.compiled.entries import native

__all__ = ["native"]

"""Protocols for game-playing programs: UCI, xboard, GTP and NBoard."""

#: Those whose engines can be players, as in `uci:stockfish`.
ENGINE_PROTOCOLS = ("uci", "xboard", "gtp")

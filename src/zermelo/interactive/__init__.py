"""Games that people play, at the terminal or on the web page: sides, opponents, hints, explanations, game files."""

"""The games of the package, one module or folder per game."""

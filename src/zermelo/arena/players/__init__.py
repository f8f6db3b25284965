"""Players: textbook searches, the engine, people, and external programs and functions."""

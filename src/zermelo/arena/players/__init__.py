"""Whoever chooses moves: searches of ours, people, programs and functions from outside."""

"""Worked examples of five public lectures, as data, run and compared with the slides."""

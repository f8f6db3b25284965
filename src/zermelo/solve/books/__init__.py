"""Opening books of any game without chance: scored positions, built by searches, probed before a search."""

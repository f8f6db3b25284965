"""Tournament plans: who plays whom, from which openings, in which format."""

"""What is to be played: who against whom, from which openings, in what form."""

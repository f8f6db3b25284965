"""Files and texts of the games' worlds: game records, positions, and the ways from one to another."""

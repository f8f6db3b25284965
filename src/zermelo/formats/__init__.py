"""File formats of games and positions: readers, writers, and the record that connects them."""

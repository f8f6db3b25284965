"""Players against one another: matches, tournaments, ratings, on one machine or many."""

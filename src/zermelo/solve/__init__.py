"""Games solved by other means than searching their trees."""

"""The contract: games, evaluations and the values that they are made of."""

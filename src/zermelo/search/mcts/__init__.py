"""Monte Carlo tree search: the textbook's version, the compiled one, and the engine that runs them."""

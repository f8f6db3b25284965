"""Games for other libraries: Gymnasium, PettingZoo and OpenSpiel. Each needs its extra, and nothing else imports it."""

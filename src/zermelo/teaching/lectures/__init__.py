"""The lectures: their worked examples as data, run and compared."""

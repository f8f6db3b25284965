"""UCI and GTP: clients for external engines, and Zermelo as a UCI engine."""

"""The sides of benchmarks/peers.py, one module each: who searches, and what of the workloads it can do."""

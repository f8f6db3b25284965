"""Executors run tasks in parallel: in worker processes on this machine, or on a Dask cluster."""

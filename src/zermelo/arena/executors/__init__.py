"""Workers: processes of this machine, or Dask on many, and what they can do."""

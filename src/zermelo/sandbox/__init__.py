"""Run untrusted programs under limits of time, memory, CPU time and output."""

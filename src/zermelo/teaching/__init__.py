"""Game trees step by step, exercises, and the lectures' worked examples."""

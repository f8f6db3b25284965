"""Programs that are not ours: started, spoken to and ended behind limits, whatever they do."""

"""The languages that programs of this field speak with one another: UCI and GTP."""

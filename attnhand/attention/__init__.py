"""The mathematics, right and wrong."""

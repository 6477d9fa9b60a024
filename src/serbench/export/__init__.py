"""Runs as tidy tables: one number in each cell, for files and for SQL."""

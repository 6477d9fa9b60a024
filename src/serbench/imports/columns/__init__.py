"""What Parquet and Arrow have in common: columns in Arrow's types, read by pyarrow, and rows of them as
messages.

A process of its own reads each file once, within bounds (trial.py, trying.py). From the schema follow types,
each with what makes values of its arrays (mapping.py, arrays.py), and rows are made of a few thousand at a
time (reading.py).
"""

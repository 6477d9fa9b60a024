"""The common part of the imports of Parquet and Arrow: columns in Arrow's types, read by pyarrow, whose rows
are messages.

First, a process of its own reads each file to its end, within limits of time and memory (trial.py,
trying.py). The types follow from the schema, each with a function that makes values of its arrays
(mapping.py, arrays.py). Then rows are read, a few thousand at a time (reading.py).
"""

"""Measures on many machines at once, over workers of Dask; ``engine.py`` alone imports that."""

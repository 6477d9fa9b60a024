"""What all pictures have in common as PNG."""

PNG_SCALE = 2
"""Pixels of a PNG for one of the layout: sharp on dense screens."""

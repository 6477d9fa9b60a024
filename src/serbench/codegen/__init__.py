"""What all generators of source text share: names, notations of types, and the writing of lines."""

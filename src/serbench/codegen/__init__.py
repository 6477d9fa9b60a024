"""The parts that all code generators share: identifiers, how types are written, and the writing of lines."""

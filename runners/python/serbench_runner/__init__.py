"""The measuring program of Python: what a codec does is timed here, as docs/protocol.md says."""

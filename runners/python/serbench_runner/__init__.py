"""The measuring program of Python, which times a codec by docs/protocol.md."""

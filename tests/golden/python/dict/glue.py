"""Nothing: messages are no dataclasses."""

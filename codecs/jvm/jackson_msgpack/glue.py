from serbench.languages.jvm.jackson import emit

__all__ = ["emit"]

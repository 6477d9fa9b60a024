from serbench.languages.jvm.domain_classes import emit

__all__ = ["emit"]

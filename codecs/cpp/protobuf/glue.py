from serbench.languages.cpp.protobuf import emit

__all__ = ["emit"]

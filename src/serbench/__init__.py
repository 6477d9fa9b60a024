"""serbench: which serializer should I use, for my data, in my languages, on my machine?"""

__version__ = "0.1.0"

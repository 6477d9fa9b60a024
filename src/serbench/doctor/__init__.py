"""Tells whether figures of this machine can be trusted, by what the system's files say about it and by
measuring work whose time is known with serbench's own sampler."""

"""Tells whether figures of this machine can be trusted, by what the system's files say about it and by
measuring, with serbench's own sampler, work whose time is known."""

"""Whether this machine can be trusted: what its files say of it, and what serbench's own sampler measures of
known work."""

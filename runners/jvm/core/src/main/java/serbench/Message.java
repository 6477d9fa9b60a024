package serbench;

/**
 * A message of a dataset.
 *
 * @param canonical its canonical bytes
 * @param body the bytes to which another program has encoded it; null where this program encodes by itself
 */
record Message(Bytes canonical, Bytes body) {}

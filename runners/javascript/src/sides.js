// Encodes and decodes one message after another as the memory policy says: with the encoder or decoder of the
// message before, or with a new one for each.

/** Encodes messages. If the adapter has no `build`, the domain object is the native one. */
export class Encoding {
  constructor(adapter, memory) {
    this.Encoder = adapter.Encoder;
    this.isFresh = memory === "fresh";
    this.encoder = new this.Encoder();
    this.builds = typeof this.encoder.build === "function";
  }

  serialize(root) {
    if (this.isFresh) this.encoder = new this.Encoder();
    return this.encoder.encode(this.builds ? this.encoder.build(root) : root);
  }

  build(root) {
    if (this.isFresh) this.encoder = new this.Encoder();
    return this.builds ? this.encoder.build(root) : root;
  }

  encode(native) {
    if (this.isFresh) this.encoder = new this.Encoder();
    return this.encoder.encode(native);
  }

  /** Encodes what was decoded, which is a domain object where nothing is extracted from it. */
  relay(view, isDomain) {
    return isDomain ? this.serialize(view) : this.encode(view);
  }
}

/** Decodes messages. If the adapter has no `extract`, the decoded view is the domain object. */
export class Decoding {
  constructor(cell, memory) {
    this.Decoder = cell.adapter.Decoder;
    this.domain = cell.domain;
    this.isFresh = memory === "fresh";
    this.decoder = new this.Decoder();
    this.extracts = typeof this.decoder.extract === "function";
    this.traverses = typeof this.decoder.traverse === "function";
    this.walks = typeof this.decoder.walk === "function";
    this.decodesFast = typeof this.decoder.decodeFast === "function";
  }

  decode(bytes, isFast) {
    if (this.isFresh) this.decoder = new this.Decoder();
    return isFast ? this.decoder.decodeFast(bytes) : this.decoder.decode(bytes);
  }

  deserialize(bytes, isFast) {
    const view = this.decode(bytes, isFast);
    return this.extracts ? this.decoder.extract(view) : view;
  }

  decodeTraverse(bytes, isFast) {
    return this.#traverse(this.decode(bytes, isFast));
  }

  /** The sum over the view, or over the domain object where the library's own objects have none. */
  read(bytes) {
    if (this.traverses) return this.decodeTraverse(bytes, false);
    return this.domain.sum(this.deserialize(bytes, false));
  }

  decodeWalk(bytes, isFast) {
    return this.#walk(this.decode(bytes, isFast));
  }

  extract(view) {
    if (this.isFresh) this.decoder = new this.Decoder();
    return this.extracts ? this.decoder.extract(view) : view;
  }

  traverse(view) {
    if (this.isFresh) this.decoder = new this.Decoder();
    return this.#traverse(view);
  }

  walk(view) {
    if (this.isFresh) this.decoder = new this.Decoder();
    return this.#walk(view);
  }

  #traverse(view) {
    return this.traverses ? this.decoder.traverse(view) : this.domain.sum(view);
  }

  #walk(view) {
    return this.walks ? this.decoder.walk(view) : this.domain.walk(view);
  }
}

/** A copy in memory of its own, somewhere within it, as what Node receives is somewhere in its pools. */
export function ownBytes(bytes) {
  const copy = Buffer.allocUnsafeSlow(OFFSET + bytes.length).subarray(OFFSET);
  copy.set(bytes);
  return copy;
}

const OFFSET = 8;

// The operations of one cell over one dataset, each as a pass over all its messages.
import { Reader } from "./canonical.js";
import { Decoding, Encoding, ownBytes } from "./sides.js";
import { consume } from "./sink.js";

/** Operation → the name of the input that it starts from. */
const INPUTS = {
  serialize: "roots",
  build: "roots",
  roundtrip: "roots",
  cycle: "roots",
  encode: "natives",
  native_roundtrip: "natives",
  extract: "views",
  traverse: "views",
  walk: "views",
};

export class Operations {
  #inputs = new Map(); // kind of input → its objects, by message
  #bodies = []; // message → which of the given bodies is its own
  #order = []; // the messages of the operation that is prepared, as passes meet them

  constructor(cell) {
    this.cell = cell;
    this.given = null;
  }

  /** The names of `./serbench list operations` that the codec offers for this workload. */
  offered() {
    const decoding = new Decoding(this.cell, "reuse");
    const { decodesFast: isFast, extracts } = decoding;
    const names = ["encode", "decode", "serialize", "deserialize", "roundtrip", "native_roundtrip"];
    if (new Encoding(this.cell.adapter, "reuse").builds && !this.isFloor) names.push("build");
    if (extracts && !this.isFloor) names.push("extract");
    if (isFast) names.push("decode_fast");
    if (!this.isFloor) names.push("read");
    if (decoding.traverses || !extracts) {
      names.push("traverse", "cycle", "decode_traverse");
      if (isFast) names.push("decode_fast_traverse");
    }
    if (this.cell.domain.walk && (decoding.walks || !extracts)) {
      names.push("walk", "decode_walk");
      if (isFast) names.push("decode_fast_walk");
    }
    return names;
  }

  /** Whether it is no codec but a bound: its operations leave out build and extract. */
  get isFloor() {
    return this.cell.adapter.isFloor === true;
  }

  /**
   * Takes messages in the place of those before. Where bodies of another program are given, one for each
   * message and then one for each edit, bytes are these, and not those that the codec's encoder would make.
   */
  load(canonical, given = null) {
    this.given = given;
    this.#bodies = canonical.map((_, message) => message);
    this.#inputs = new Map([["roots", canonical.map((bytes) => this.read(bytes))]]);
  }

  /** The domain object of canonical bytes. */
  read(bytes) {
    const reader = new Reader(bytes);
    const root = this.cell.domain.read(reader);
    reader.finish();
    return root;
  }

  /** The messages of a kind of input; made when first needed, since big data would hold all at once. */
  inputs(kind) {
    if (!this.#inputs.has(kind)) {
      this.#inputs.set(kind, this.#madeFor(kind));
    }
    return this.#inputs.get(kind);
  }

  #madeFor(kind) {
    if (kind === "views") {
      const decoding = new Decoding(this.cell, "fresh"); // each is an object of its own
      return this.inputs("encoded").map((bytes) => decoding.decode(bytes, false));
    }
    const encoding = new Encoding(this.cell.adapter, kind === "natives" ? "fresh" : "reuse");
    return this.inputs("roots").map((root, message) =>
      kind === "natives" ? encoding.build(root) : ownBytes(this.bytesOf(message, encoding)),
    );
  }

  /** The bytes that a message is encoded to as it is now, or its body. */
  bytesOf(message, encoding) {
    if (this.given !== null) return this.given[this.#bodies[message]];
    return encoding.serialize(this.inputs("roots")[message]);
  }

  /** From now on the body of a message, where bodies are given, is the one for these edits, at most one. */
  giveEdited(message, edits) {
    this.#bodies[message] = edits.length > 0 ? this.#bodies.length + edits[0].number : message;
  }

  /** Makes anew what was prepared from a message whose domain object has changed. */
  renew(message, kind) {
    if (kind === "roots") return;
    const encoding = new Encoding(this.cell.adapter, "fresh");
    if (kind === "natives") {
      this.inputs(kind)[message] = encoding.build(this.inputs("roots")[message]);
      return;
    }
    this.replaceEncoded(message, this.bytesOf(message, encoding));
    if (kind === "views") {
      this.inputs(kind)[message] = new Decoding(this.cell, "fresh").decode(
        this.inputs("encoded")[message],
        false,
      );
    }
  }

  /** Makes a message another object, with these canonical bytes, and what was prepared from it. */
  exchange(message, canonical, kind) {
    this.inputs("roots")[message] = this.read(canonical);
    this.renew(message, kind);
  }

  /** Makes encoded bytes others, where they lie if they are as many. */
  replaceEncoded(message, bytes) {
    const encoded = this.inputs("encoded");
    if (encoded[message].length === bytes.length) encoded[message].set(bytes);
    else encoded[message] = ownBytes(bytes);
  }

  /** From now on, passes over a kind of input end with this message. */
  endWith(message, kind) {
    const messages = this.inputs(kind);
    const turned = this.#order;
    turned.length = messages.length;
    for (let n = 0; n < messages.length; ++n) turned[n] = messages[(message + 1 + n) % messages.length];
  }

  /** From now on, passes over a kind of input are over this message alone. */
  takeAlone(message, kind) {
    this.#order.length = 1;
    this.#order[0] = this.inputs(kind)[message];
  }

  /**
   * Prepares an operation.
   *
   * @returns its pass; the kind of its input; and what it left of its last message: `sum` gives the sum,
   *     `encoded` the bytes that it encoded, or `left` the domain object; `walks` tells whether the sum is of
   *     a walk
   * @throws the codec does not offer it
   */
  prepare(operation, memory) {
    if (!this.offered().includes(operation)) throw new Error(`this codec has no operation ${operation}`);
    const name = this.#done(operation);
    const input = this.startsFrom(operation);
    const count = this.inputs(input).length;
    this.#order = [];
    this.endWith(count - 1, input);
    const last = { value: null };
    const once = onceOf(name, new Encoding(this.cell.adapter, memory), new Decoding(this.cell, memory));
    const pass = passOver(this.#order, once, last);
    return { pass, input, ...this.#results(name, last) };
  }

  /** The kind of input that an operation starts from. */
  startsFrom(operation) {
    return INPUTS[this.#done(operation)] ?? "encoded";
  }

  /** The operation that is done for the one asked for. */
  #done(operation) {
    return this.isFloor ? (FLOORS[operation] ?? operation) : operation;
  }

  #results(name, last) {
    if (/traverse|walk|cycle|read/.test(name)) return { sum: () => last.value, walks: name.endsWith("walk") };
    if (name === "serialize" || name === "encode") return { encoded: () => last.value };
    if (name === "build") {
      return { encoded: () => new Encoding(this.cell.adapter, "fresh").encode(last.value) };
    }
    const isView = ["decode", "decode_fast", "native_roundtrip"].includes(name);
    return { left: () => (isView ? new Decoding(this.cell, "fresh").extract(last.value) : last.value) };
  }
}

/** Operation → the one that a floor does in its place, since it leaves out build and extract. */
const FLOORS = { serialize: "encode", deserialize: "decode", roundtrip: "native_roundtrip" };

/** A pass: the same loop for every codec. What the last message became is kept to be looked at. */
function passOver(messages, once, last) {
  return () => {
    let result = null;
    for (let n = 0; n < messages.length; ++n) {
      result = once(messages[n]);
      consume(result);
    }
    last.value = result;
  };
}

/** A function that does an operation with one message. */
function onceOf(name, encoding, decoding) {
  switch (name) {
    case "serialize":
      return (root) => encoding.serialize(root);
    case "build":
      return (root) => encoding.build(root);
    case "encode":
      return (native) => encoding.encode(native);
    case "deserialize":
      return (bytes) => decoding.deserialize(bytes, false);
    case "decode":
      return (bytes) => decoding.decode(bytes, false);
    case "decode_fast":
      return (bytes) => decoding.decode(bytes, true);
    case "extract":
      return (view) => decoding.extract(view);
    case "traverse":
      return (view) => decoding.traverse(view);
    case "walk":
      return (view) => decoding.walk(view);
    case "read":
      return (bytes) => decoding.read(bytes);
    case "decode_traverse":
      return (bytes) => decoding.decodeTraverse(bytes, false);
    case "decode_fast_traverse":
      return (bytes) => decoding.decodeTraverse(bytes, true);
    case "decode_walk":
      return (bytes) => decoding.decodeWalk(bytes, false);
    case "decode_fast_walk":
      return (bytes) => decoding.decodeWalk(bytes, true);
    case "roundtrip":
      return (root) => decoding.deserialize(consumed(encoding.serialize(root)), false);
    case "native_roundtrip":
      return (native) => decoding.decode(consumed(encoding.encode(native)), false);
    case "cycle":
      return (root) => decoding.decodeTraverse(consumed(encoding.serialize(root)), false);
    default:
      throw new Error(`found operation '${name}', which is none of serbench's`);
  }
}

function consumed(bytes) {
  consume(bytes);
  return bytes;
}

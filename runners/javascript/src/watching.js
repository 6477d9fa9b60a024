// What is timed is what is checked: outside the clock, values of the messages change where they lie, and what
// the timed passes left is held to what it must be (docs/protocol.md, "Edits").
import { Writer } from "./canonical.js";
import { applied, Draws, Edits } from "./edits.js";
import { Decoding, Encoding, ownBytes } from "./sides.js";

const OTHERS = 4; // messages that change besides the last

/** Messages with edits of so many bytes together are made anew and compared in a small part of a sample. */
const QUICK_BYTES = 1 << 20;

/** Of more, one sample of so many is watched. */
const ONE_OF = 12;

const VERDICT = "after its values changed: the timed code returns remembered results, or skips work";

export class Watching {
  #forced = new Map(); // the edits that are in force, by message
  #later = new Map(); // those that are in force after the next shift
  #laterBytes = new Map(); // what these messages are encoded to
  #givenBack = new Map();

  /** `place` is a text of digits, from which is drawn. */
  constructor(operations, canonical, path, place) {
    this.operations = operations;
    this.cell = operations.cell;
    this.canonical = canonical;
    this.edits = new Edits(path, canonical);
    this.draws = new Draws(place);
    this.last = canonical.length - 1;
  }

  /** Whether the next sample is to be watched. */
  drawWatched() {
    if (this.edits.messages.length === 0) return false;
    let bytes = 0;
    for (const message of this.edits.messages) bytes += this.canonical[message].length;
    return bytes <= QUICK_BYTES || this.draws.below(ONE_OF) === 0;
  }

  /** Changes values, and what was prepared from them for this kind of input; passes end with one of them. */
  renew(kind) {
    this.last = this.edits.drawMessage(this.draws);
    const before = [...this.#forced.keys(), ...this.#later.keys()];
    this.#later = this.#drawn();
    const now = this.#drawn();
    const stale = new Set([...before, ...this.#later.keys(), ...now.keys()]);
    this.#laterBytes.clear();
    if (kind === "encoded") {
      this.#set(this.#later);
      const encoding = new Encoding(this.cell.adapter, "fresh");
      const roots = this.operations.inputs("roots");
      for (const message of stale)
        this.#laterBytes.set(message, ownBytes(encoding.serialize(roots[message])));
    }
    this.#set(now);
    for (const message of stale) this.operations.renew(message, kind);
    this.operations.endWith(this.last, kind);
  }

  /** Changes values once more without a call into the adapter, where that can be. */
  shift(kind) {
    if (kind === "roots") {
      this.#set(this.#later);
    } else if (kind === "encoded") {
      const encoded = this.operations.inputs("encoded");
      const fits = [...this.#laterBytes].every(
        ([message, bytes]) => encoded[message].length === bytes.length,
      );
      if (!fits) return;
      this.#set(this.#later);
      for (const [message, bytes] of this.#laterBytes) encoded[message].set(bytes);
    }
  }

  /** Throws unless what an operation left is what its last message now is. */
  check(operation, prepared) {
    if (prepared.sum) {
      const found = prepared.sum();
      const { domain } = this.cell;
      const sum = prepared.walks ? domain.walk : domain.sum;
      if (found === sum(this.operations.read(this.#now(this.last, this.canonical[this.last])))) return;
      if (found === sum(this.operations.read(this.#now(this.last, this.#asGivenBack())))) return;
      throw new Error(`the sum of ${operation} does not match message ${this.last} ${VERDICT}`);
    }
    const out = new Writer();
    this.cell.domain.write(out, prepared.left());
    const found = out.written();
    if (found.equals(this.#now(this.last, this.canonical[this.last]))) return;
    if (found.equals(this.#now(this.last, this.#asGivenBack()))) return;
    throw new Error(`the result of ${operation} does not match message ${this.last} ${VERDICT}`);
  }

  /** Edits of the last message and of a few others. */
  #drawn() {
    const drawn = new Map([[this.last, this.edits.draw(this.last, this.draws)]]);
    for (let n = 0; n < OTHERS; ++n) {
      const other = this.edits.drawMessage(this.draws);
      if (other !== this.last) drawn.set(other, this.edits.draw(other, this.draws));
    }
    return drawn;
  }

  /** From now on these edits are in force, in the domain objects. */
  #set(forced) {
    const changed = new Set([...this.#forced.keys(), ...forced.keys()]);
    this.#forced = forced;
    const roots = this.operations.inputs("roots");
    for (const message of changed) {
      assign(roots[message], this.operations.read(this.#now(message, this.canonical[message])));
    }
  }

  #now(message, bytes) {
    return applied(bytes, this.#forced.get(message) ?? []);
  }

  /** What the last message, as the dataset has it, comes back as: another where a codec is lossy. */
  #asGivenBack() {
    if (!this.#givenBack.has(this.last)) {
      const root = this.operations.read(this.canonical[this.last]);
      const encoded = ownBytes(new Encoding(this.cell.adapter, "fresh").serialize(root));
      const out = new Writer();
      this.cell.domain.write(out, new Decoding(this.cell, "fresh").deserialize(encoded, false));
      this.#givenBack.set(this.last, Buffer.from(out.written()));
    }
    return this.#givenBack.get(this.last);
  }
}

/** Gives every value in `target` that of `source`, which has the same shape; no object becomes another. */
function assign(target, source) {
  if (target instanceof Uint8Array) {
    target.set(source);
  } else if (target instanceof Map) {
    for (const [key, value] of source) {
      if (isLeaf(value)) target.set(key, value);
      else assign(target.get(key), value);
    }
  } else {
    for (const key of Object.keys(source)) {
      if (isLeaf(source[key])) target[key] = source[key];
      else assign(target[key], source[key]);
    }
  }
}

function isLeaf(value) {
  return typeof value !== "object" || value === null;
}

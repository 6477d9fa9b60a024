// The words after a command: options, each with one value.

export class Options {
  #values;

  constructor(values) {
    this.#values = values;
  }

  static parse(words) {
    const values = new Map();
    for (let n = 0; n < words.length; n += 2) {
      if (!words[n].startsWith("--") || n + 1 === words.length) {
        throw new Error(`found '${words[n]}', expected an option with a value`);
      }
      values.set(words[n].slice(2), words[n + 1]);
    }
    return new Options(values);
  }

  has(name) {
    return this.#values.has(name);
  }

  get(name, otherwise) {
    const value = this.#values.get(name) ?? otherwise;
    if (value === undefined) throw new Error(`option --${name} is missing`);
    return value;
  }

  /** A whole number. */
  number(name, otherwise) {
    const text = this.get(name, String(otherwise));
    if (!/^\d{1,15}$/.test(text)) throw new Error(`found --${name} ${text}, expected a whole number`);
    return Number(text);
  }

  with(name, value) {
    return new Options(new Map(this.#values).set(name, value));
  }

  *words() {
    for (const [name, value] of this.#values) yield* [`--${name}`, value];
  }
}

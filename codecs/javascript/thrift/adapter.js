// Apache Thrift with the classes that its compiler generates for Node, which protocols write and read.
import { TBinaryProtocol, TBufferedTransport, TCompactProtocol, TFramedTransport } from "thrift";
import { build, extract, Root } from "./glue.js";

function adapterOf(Protocol) {
  return {
    Encoder: class {
      #encoded;
      #protocol = this.#begun();
      build = build;

      encode(message) {
        try {
          message.write(this.#protocol);
        } catch (error) {
          this.#protocol = this.#begun(); // the old one stands inside a struct
          throw error;
        }
        this.#protocol.flush();
        return this.#encoded;
      }

      #begun() {
        return new Protocol(
          new TBufferedTransport(null, (bytes) => {
            this.#encoded = bytes;
          }),
        );
      }
    },

    Decoder: class {
      extract = extract;

      /** A transport for each message, as the library has it for each frame that it receives. */
      decode(bytes) {
        const message = new Root();
        message.read(new Protocol(new TFramedTransport(bytes)));
        return message;
      }
    },
  };
}

/** Integers at their width. */
export const Binary = adapterOf(TBinaryProtocol);

/** Integers as zigzag varints. */
export const Compact = adapterOf(TCompactProtocol);

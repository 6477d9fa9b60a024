// The measuring program. docs/protocol.md describes what it takes and says; before the command comes a word
// that tells builds apart.
import process from "node:process";
import { nowNs, sinceNs } from "./clock.js";
import { keepStandardOutput, say } from "./events.js";
import { measure, measureCell, OF_A_CELL } from "./measurement.js";
import { Operations } from "./operations.js";
import { Options } from "./options.js";
import { fieldsOf } from "./origin.js";
import { timeCalls } from "./single_calls.js";
import { measureTogether, OF_A_MEMBER, serveTeam } from "./together.js";
import { relays, Verification } from "./verification.js";
import { commandWords } from "./writer_schema.js";

const PROTOCOL = 1;
const BETWEEN_COMMANDS = "+";

keepStandardOutput(); // before the codec is loaded, which comes behind this module

/**
 * Answers the commands that the process was started with, and ends it.
 *
 * @param cell `codec`, `workload` and `schema` are the names and the digest that `hello` says; `adapter` has
 *     the classes `Encoder` and `Decoder`; `domain` has `read`, `write` and `sum` for the workload's root,
 *     and `walk` where it is a graph; `remembers` tells whether native objects keep what was computed of
 *     them; in a program for cross-checks, `takeSamples` is another sampler than ours, or null
 */
export async function run(cell) {
  const begin = nowNs();
  let status = 1;
  try {
    const commands = parse(commandWords);
    const [{ command, options }] = commands;
    if (command === OF_A_MEMBER) {
      await serveTeam(cell, options);
    } else if (command === OF_A_CELL) {
      await (options.has("threads") ? measureTogether(options) : measureCell(cell, options));
      status = 0;
    } else {
      describe(cell);
      const verification = new Verification(cell);
      let isDone = true;
      for (const each of commands) isDone = isDone && (await obey(cell, verification, each));
      if (isDone) {
        say("done", { elapsed_ns: sinceNs(begin) });
        status = 0;
      }
    }
  } catch (error) {
    process.stderr.write(`${error?.stack ?? error}\n`);
    say("error", fieldsOf(error));
  }
  process.exit(status); // whatever timers or threads a library has left behind
}

function parse(words) {
  const commands = [[]];
  for (const word of words) {
    if (word === BETWEEN_COMMANDS) commands.push([]);
    else commands.at(-1).push(word);
  }
  return commands.map(([command = "", ...rest]) => ({ command, options: Options.parse(rest) }));
}

function describe(cell) {
  const operations = new Operations(cell);
  say("hello", {
    protocol: PROTOCOL,
    codec: cell.codec,
    workload: cell.workload,
    schema: cell.schema,
    compiler: engine(),
    edits: true,
    floor: operations.isFloor,
    relays: relays(cell),
    operations: operations.offered(),
  });
}

function engine() {
  const { bun, deno, node, v8 } = process.versions;
  if (bun) return `Bun ${bun}`; // which says of Node's and V8's versions whose interfaces it has
  return `${deno ? `Deno ${deno}` : `Node ${node}`}, V8 ${v8}`;
}

/** Does what a command asks for; returns whether it could. */
async function obey(cell, verification, { command, options }) {
  switch (command) {
    case "describe":
      return true;
    case "measure":
      return measure(cell, options);
    case "calls":
      await timeCalls(cell, options);
      return true;
    case "check":
    case "encode":
    case "decode":
    case "relay":
    case "probe":
      verification[command](options);
      return true;
    default:
      throw new Error(
        `found command '${command}', expected describe, measure, calls, encode, decode, relay, probe or ` +
          "check",
      );
  }
}

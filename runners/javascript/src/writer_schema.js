// The schema by which messages were written, which a process may be given in front of its commands.
import { readFileSync } from "node:fs";
import process from "node:process";

const OPTION = "--writer-schema";

const words = process.argv.slice(3);
const isGiven = words[0] === OPTION;

/** Its text, where it is another one than the program's own; null where it is that. */
export const writerSchema = isGiven ? readFileSync(words[1], "utf8") : null;

/** The words in front of the commands, which a process that this one starts is given too. */
export const wordsAhead = isGiven ? words.slice(0, 2) : [];

/** The words of the commands. */
export const commandWords = isGiven ? words.slice(2) : words;

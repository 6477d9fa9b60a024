// Standard output is for events alone: one JSON object a line, written at once.
import fs from "node:fs";
import process from "node:process";

const { writeSync } = fs;
const stringify = JSON.stringify;

/** Says an event; `fields` are plain values. */
export function say(event, fields = {}) {
  let left = Buffer.from(`${stringify({ event, ...fields })}\n`);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(1, left));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

/** Sends text that a library prints to standard error from now on, since it is no event. */
export function keepStandardOutput() {
  process.stdout.write = process.stderr.write.bind(process.stderr);
}

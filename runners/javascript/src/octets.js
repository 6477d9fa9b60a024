// Bytes in place, for libraries that have a Buffer where the domain has a Uint8Array.

export function bufferOf(bytes) {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

export function octetsOf(buffer) {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}

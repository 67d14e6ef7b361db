/**
 * The fields of a message in Protocol Buffers by their numbers: numbers, and bytes of texts and messages; of a repeated one the last.
 * Enough for the two small messages of OTLP's replies, and a browser loads no library for it.
 *
 * @throws RangeError if it is no such message
 */
export function readFields(bytes: Uint8Array): Map<number, number | Uint8Array> {
  const fields = new Map<number, number | Uint8Array>();
  let at = 0;
  const readNumber = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at];
      if (byte === undefined) throw new RangeError('The message is cut off');
      at += 1;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  const skip = (length: number) => {
    const from = at;
    at += length;
    if (at > bytes.length) throw new RangeError('The message is cut off');
    return bytes.subarray(from, at);
  };
  while (at < bytes.length) {
    const tag = readNumber();
    const field = Math.floor(tag / 8);
    const type = tag % 8;
    if (type === 0) fields.set(field, readNumber());
    else if (type === 1) skip(8);
    else if (type === 2) fields.set(field, skip(readNumber()));
    else if (type === 5) skip(4);
    else throw new RangeError(`The message has a field of the unknown type ${type}`);
  }
  return fields;
}

/** @returns the text of a field; undefined if there is none */
export function textIn(fields: ReadonlyMap<number, number | Uint8Array>, field: number): string | undefined {
  const value = fields.get(field);
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : undefined;
}

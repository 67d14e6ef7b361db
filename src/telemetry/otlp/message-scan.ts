import type { DescMessage } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { MAXIMUM_MESSAGE_DEPTH, MAXIMUM_PARTS } from '../../budget/request-limits.js';
import { InvalidError } from '../../errors/domain-error.js';

const fieldsOf = new Map<DescMessage, ReadonlyMap<number, DescMessage | undefined>>();

/**
 * Counts the messages within an encoded message before any is built, as `scanBody` counts the values of JSON.
 *
 * @throws InvalidError naming the limit
 * @throws RangeError or Error if the bytes are no such message
 */
export function scanMessage(bytes: Uint8Array, type: DescMessage): void {
  const reader = new BinaryReader(bytes);
  let parts = 0;
  scan(bytes.length, type, 1);

  function scan(end: number, of: DescMessage, depth: number): void {
    if (depth > MAXIMUM_MESSAGE_DEPTH) {
      throw InvalidError.of(
        null,
        'too_long',
        `The body is nested too deeply: at most ${MAXIMUM_MESSAGE_DEPTH} messages`,
      );
    }
    if (++parts > MAXIMUM_PARTS) {
      throw InvalidError.of(
        null,
        'too_long',
        `The body has more than ${MAXIMUM_PARTS} messages: send less at a time`,
      );
    }
    const messages = messageFields(of);
    while (reader.pos < end) {
      const [number, wireType] = reader.tag();
      const inner = messages.get(number);
      if (inner && wireType === WireType.LengthDelimited)
        scan(reader.uint32() + reader.pos, inner, depth + 1);
      else reader.skip(wireType, number, MAXIMUM_MESSAGE_DEPTH - depth);
    }
    if (reader.pos > end) throw new RangeError('A field is longer than its message');
  }
}

/** The fields of a message that contain messages, by number. */
function messageFields(type: DescMessage): ReadonlyMap<number, DescMessage | undefined> {
  const known = fieldsOf.get(type);
  if (known) return known;
  const fields = new Map(type.fields.map(({ number, message }) => [number, message] as const));
  fieldsOf.set(type, fields);
  return fields;
}

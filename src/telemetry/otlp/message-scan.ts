import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { MAXIMUM_FIELDS, MAXIMUM_MESSAGE_DEPTH, MAXIMUM_PARTS } from '../../budget/request-limits.js';
import { InvalidError } from '../../errors/domain-error.js';
import type { EntryCount } from './entry-count.js';

/** Wire types of scalars whose lists are packed: elements of all other types are counted by the field that each has. */
const PACKED_AS: ReadonlyMap<ScalarType, WireType> = new Map([
  [ScalarType.DOUBLE, WireType.Bit64],
  [ScalarType.FIXED64, WireType.Bit64],
  [ScalarType.UINT64, WireType.Varint],
]);

interface Content {
  /** Set for a field that contains messages. */
  readonly message?: DescMessage;
  /** Set for a list that may be packed. */
  readonly packedAs?: WireType;
}

const contentsOf = new Map<DescMessage, ReadonlyMap<number, Content>>();

/**
 * Counts the messages, fields and entries within an encoded message before any is built, as `scanBody` counts the values of JSON.
 *
 * @throws InvalidError naming the limit
 * @throws RangeError or Error if the bytes are no such message
 */
export function scanMessage(bytes: Uint8Array, type: DescMessage, entries: EntryCount): void {
  const reader = new BinaryReader(bytes);
  let parts = 0;
  let fields = 0;
  scan(bytes.length, type, 1);

  function scan(end: number, of: DescMessage, depth: number): void {
    if (depth > MAXIMUM_MESSAGE_DEPTH) {
      throw tooMuch(`The body is nested too deeply: at most ${MAXIMUM_MESSAGE_DEPTH} messages`);
    }
    if (++parts > MAXIMUM_PARTS) {
      throw tooMuch(`The body has more than ${MAXIMUM_PARTS} messages: send less at a time`);
    }
    entries.add(of);
    const contents = contentsOfFields(of);
    while (reader.pos < end) {
      const [number, wireType] = reader.tag();
      countField();
      const { message, packedAs } = contents.get(number) ?? {};
      if (wireType !== WireType.LengthDelimited) {
        reader.skip(wireType, number, MAXIMUM_MESSAGE_DEPTH - depth);
        continue;
      }
      const contentEnd = reader.uint32() + reader.pos;
      if (message) scan(contentEnd, message, depth + 1);
      else if (packedAs !== undefined) scanPacked(contentEnd, packedAs);
      else reader.pos = contentEnd;
    }
    if (reader.pos > end) throw new RangeError('A field is longer than its message');
  }

  function scanPacked(end: number, wireType: WireType): void {
    while (reader.pos < end) {
      countField();
      reader.skip(wireType);
    }
  }

  function countField(): void {
    if (++fields > MAXIMUM_FIELDS) {
      throw tooMuch(`The body has more than ${MAXIMUM_FIELDS} fields and elements: send less at a time`);
    }
  }
}

function tooMuch(message: string): InvalidError {
  return InvalidError.of(null, 'too_long', message);
}

/** The contents of a message's fields, by number. */
function contentsOfFields(type: DescMessage): ReadonlyMap<number, Content> {
  const known = contentsOf.get(type);
  if (known) return known;
  const contents = new Map(type.fields.map((field) => [field.number, contentOf(field)] as const));
  contentsOf.set(type, contents);
  return contents;
}

function contentOf(field: DescField): Content {
  if (field.message) return { message: field.message };
  if (field.fieldKind !== 'list' || field.listKind !== 'scalar') return {};
  return { packedAs: PACKED_AS.get(field.scalar) };
}

import { readFields, textIn } from './protobuf-fields.js';

const bytesOf = (...bytes: number[]) => Uint8Array.from(bytes);

describe('A message in Protocol Buffers', () => {
  it('is read by the numbers of its fields', () => {
    const fields = readFields(bytesOf(0x08, 0x96, 0x01, 0x12, 2, 0x68, 0x69));
    expect(fields.get(1)).toBe(150);
    expect(textIn(fields, 2)).toBe('hi');
    expect(textIn(fields, 1)).toBeUndefined();
    expect(textIn(fields, 3)).toBeUndefined();
  });

  it('ignores fields of fixed length, and may be empty', () => {
    const fixed = bytesOf(0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x15, 1, 2, 3, 4, 0x18, 7);
    expect([...readFields(fixed)]).toEqual([[3, 7]]);
    expect(readFields(bytesOf()).size).toBe(0);
  });

  it.each([
    ['ends within a number', [0x08, 0x96]],
    ['ends within a text', [0x12, 5, 0x68]],
    ['has a field of an unknown type', [0x0b]],
  ])('is refused where it %s', (_, bytes) => {
    expect(() => readFields(bytesOf(...bytes))).toThrow(RangeError);
  });
});

import fc from 'fast-check';
import { describeInput, inputsOf, readInput, writeInput } from './run-input.js';

describe('The typed input of a run', () => {
  it.each<[string, unknown]>([
    ['', { kind: 'none' }],
    [' \n', { kind: 'none' }],
    ['{"a": 1}', { kind: 'json', value: { a: 1 } }],
    ['[1, "b"]', { kind: 'json', value: [1, 'b'] }],
    ['"42"', { kind: 'json', value: '42' }],
    ['42', { kind: 'json', value: 42 }],
    ['How many invoices are open?', { kind: 'text', value: 'How many invoices are open?' }],
    ['42 invoices', { kind: 'text', value: '42 invoices' }],
  ])('%j is read as %j', (typed, input) => {
    expect(readInput(typed)).toEqual(input);
  });

  it.each([
    ['{"a": 1,}', 'Line 1, column 9: A "," may not stand before "}"'],
    ['[1, 2', 'Line 1, column 6: Expected "," or "]"'],
    ['\n"a', 'Line 2, column 1: This string is not closed, or contains a line break or an invalid escape'],
  ])('%j, which is meant as JSON, is a fault and not a text', (typed, message) => {
    const input = readInput(typed);
    expect(input.kind).toBe('fault');
    expect(describeInput(input)).toBe(message);
  });

  it.each([
    ['', 'It runs without input.'],
    ['hello', 'Sent as text.'],
    ['{}', 'Sent as JSON: an object.'],
    ['[]', 'Sent as JSON: a list.'],
    ['"a"', 'Sent as JSON: a text.'],
    ['1', 'Sent as JSON: a number.'],
    ['true', 'Sent as JSON: true or false.'],
    ['null', 'Sent as JSON: null.'],
  ])('%j says what is sent: %s', (typed, line) => {
    expect(describeInput(readInput(typed))).toBe(line);
  });

  it('is the same value when an earlier one is taken again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.string({ minLength: 1 })), (value) => {
        const input = readInput(writeInput(value));
        expect(JSON.stringify('value' in input && input.value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('is offered again once, the newest five', () => {
    const runs = ['f', { a: 1 }, 'f', null, 'e', 'd', 'c', 'b'].map((input) => ({ input }));
    expect(inputsOf(runs)).toEqual(['f', '{\n  "a": 1\n}', 'e', 'd', 'c']);
  });
});

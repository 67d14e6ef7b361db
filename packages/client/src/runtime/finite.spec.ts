import { finiteOf } from './finite.js';

describe('A value without numbers that JSON does not have', () => {
  it('keeps all other values, and names the omitted ones', () => {
    const at = new Date(0);
    const { value, left } = finiteOf({
      cpu: NaN,
      memory: 1,
      custom: { ratio: Infinity, list: [1, -Infinity] },
      at,
    });
    expect(JSON.parse(JSON.stringify(value))).toEqual({
      memory: 1,
      custom: { list: [1, null] },
      at: at.toISOString(),
    });
    expect(left).toEqual(['cpu', 'custom.ratio', 'custom.list[1]']);
  });
});

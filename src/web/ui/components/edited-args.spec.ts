import { editedArgs } from './edited-args.js';

describe('editedArgs', () => {
  it('takes any JSON that differs', () => {
    expect(editedArgs('{"to": "DE02", "euros": 20}', { to: 'DE02', euros: 120 })).toEqual({
      value: { to: 'DE02', euros: 20 },
      problem: null,
    });
    expect(editedArgs('[1.50]', null).value).toEqual([1.5]);
  });

  it.each(['12345678901234567890', '{"a": 1e400}'])('refuses %s, which would become another number', (text) =>
    expect(editedArgs(text, 1).problem).toContain('too many digits'),
  );

  it('refuses unchanged arguments, and null', () => {
    expect(editedArgs(' {"a":1}', { a: 1 }).problem).toContain('Nothing has changed');
    expect(editedArgs('null', { a: 1 }).problem).toContain('null');
  });
});

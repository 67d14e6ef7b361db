import { validate, version } from 'uuid';
import { EntryIds } from './entry-ids.js';

describe('The identifiers of entries', () => {
  it('are UUIDs of version 7 in the order of their creation', () => {
    const ids = new EntryIds();
    const made = Array.from({ length: 50 }, () => ids.next(100)).flat();
    expect(made.every((id) => validate(id) && version(id) === 7)).toBe(true);
    expect(new Set(made).size).toBe(5_000);
    expect(made.toSorted()).toEqual(made);
  });

  it('differ between instances', () => {
    const [one, other] = [new EntryIds(), new EntryIds()];
    const made = Array.from({ length: 50 }, () => [...one.next(100), ...other.next(100)]).flat();
    expect(new Set(made).size).toBe(10_000);
  });
});

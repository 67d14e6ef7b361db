import type { Context } from './context.js';
import { findExistingId, findId, type ResourceKind } from './find-resource.js';

interface Thing {
  readonly id: string;
  readonly name: string;
  readonly isActive: boolean;
}

const thing = (id: string, name: string, isActive = false): Thing => ({ id, name, isActive });
const TWINS = [
  thing('0192f0c1-0000-7000-8000-000000000001', 'twin'),
  thing('0192f0c1-0000-7000-8000-000000000002', 'twin'),
];

function find(things: readonly Thing[], text: string, by = findId): Promise<string> {
  const kind: ResourceKind<Thing> = {
    noun: 'thing',
    list: 'svc things list',
    read: async () => ({ data: things, response: new Response() }),
    nameOf: ({ name }) => name,
    describe: ({ name }) => name,
    isPreferred: ({ isActive }) => isActive,
  };
  return by({} as Context, kind, text);
}

describe('A resource on the command line', () => {
  it('is found by its name, or by a unique beginning of its id', async () => {
    const other = thing('0192f0c2-0000-7000-8000-000000000003', 'other');
    expect(await find([...TWINS, other], 'other')).toBe(other.id);
    expect(await find([...TWINS, other], '0192F0C2')).toBe(other.id);
  });

  it('is not searched by a complete id', async () => {
    const id = '0192F0C9-0000-7000-8000-000000000009';
    expect(await find([], id)).toBe(id.toLowerCase());
  });

  it('is searched by a complete id if an unknown one would cause an empty list', async () => {
    const [twin] = TWINS;
    expect(await find([...TWINS], twin!.id.toUpperCase(), findExistingId)).toBe(twin!.id);
    const unknown = '0192f0c9-0000-7000-8000-000000000009';
    await expect(find(TWINS, unknown, findExistingId)).rejects.toThrow(`No thing has the name "${unknown}"`);
  });

  it('is preferred by its name to one by an id, and an active one to others', async () => {
    const named = thing('0192f0c3-0000-7000-8000-000000000004', '0192f0c1');
    expect(await find([...TWINS, named], '0192f0c1')).toBe(named.id);
    const active = thing('0192f0c4-0000-7000-8000-000000000005', 'twin', true);
    expect(await find([...TWINS, active], 'twin')).toBe(active.id);
  });

  it('causes an error with at most ten candidates if it is ambiguous', async () => {
    await expect(find(TWINS, 'twin')).rejects.toThrow(
      `"twin" is 2 things: ${TWINS[0]!.id} (twin), ${TWINS[1]!.id} (twin); give one of these ids`,
    );
    await expect(find(TWINS, '0192f0c1')).rejects.toThrow('is 2 things');
    const many = Array.from({ length: 12 }, (_, n) => thing(`id-${n}`, 'many'));
    await expect(find(many, 'many')).rejects.toThrow('id-9 (many), and 2 more; give');
  });

  it('is found only by its id if it has no name, and no further ones are read', async () => {
    const asked: unknown[] = [];
    const findRun = (text: string, things: readonly Thing[]) => {
      const kind: ResourceKind<Thing> = {
        noun: 'run',
        list: 'svc runs list',
        async read(_context, search, { limit }) {
          asked.push({ ...search, limit });
          const link = '<https://svc.test/runs?before=0192f0c1-0000-7000-8000-000000000001>; rel="next"';
          return { data: things.slice(0, limit), response: new Response(null, { headers: { link } }) };
        },
        describe: ({ name }) => name,
      };
      return findId({} as Context, kind, text);
    };
    await expect(findRun('0192f0c1', TWINS.slice(0, 1))).resolves.toBe(TWINS[0]!.id);
    asked.length = 0;
    await expect(findRun('twin', TWINS)).rejects.toThrow(
      'No run has an id that begins with "twin": see "svc runs list"',
    );
    expect(asked).toEqual([]);
    const many = Array.from({ length: 12 }, (_, n) => thing(`0192f0c1-${n}`, 'many'));
    await expect(findRun('0192f0c1', many)).rejects.toThrow(
      'More than 10 runs have an id that begins with "0192f0c1": give more of it; see "svc runs list"',
    );
    expect(asked).toEqual([{ id_prefix: '0192f0c1', limit: 11 }]);
  });

  it('is found at any place of a list without a search', async () => {
    const many = Array.from({ length: 12 }, (_, n) => thing(`0192f0c1-${n}`, ''));
    const last = thing('0192f0c2-0000-7000-8000-000000000006', '');
    const findPause = (text: string) => {
      const kind: ResourceKind<Thing> = {
        noun: 'pause',
        list: 'svc pauses list',
        isUnsearched: true,
        read: async (_context, _search, { limit }) => ({
          data: [...many, last].slice(0, limit),
          response: new Response(),
        }),
        describe: ({ name }) => name,
      };
      return findId({} as Context, kind, text);
    };
    await expect(findPause('0192f0c2')).resolves.toBe(last.id);
    await expect(findPause('0192f0c1')).rejects.toThrow('More than 10 pauses');
  });

  it('is not found by fewer than four characters of an id, or if it does not exist', async () => {
    await expect(find([TWINS[0]!], '019')).rejects.toThrow('No thing has the name "019"');
    await expect(find([], 'nobody')).rejects.toThrow('svc things list');
  });
});

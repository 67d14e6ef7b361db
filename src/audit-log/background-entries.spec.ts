import { BackgroundEntries } from './background-entries.js';
import type { StoredAuditEntry } from './audit-log.types.js';

const entry = (id: string) => ({ id }) as StoredAuditEntry;
const idsOf = (entries: readonly StoredAuditEntry[]) => entries.map(({ id }) => id);

describe('Entries that are written in the background', () => {
  it('go with one statement when they come while the one before is written', async () => {
    const statements: string[][] = [];
    const background = new BackgroundEntries(
      async (entries) => void statements.push(idsOf(entries)),
      () => undefined,
    );
    for (const id of ['a', 'b', 'c']) background.add(entry(id));
    await background.finish();
    background.add(entry('d'));
    await background.finish();
    expect(statements).toEqual([['a'], ['b', 'c'], ['d']]);
  });

  it('are written although the database refuses another one of the same statement', async () => {
    const written: string[] = [];
    const lost: string[] = [];
    const background = new BackgroundEntries(
      async (entries) => {
        if (idsOf(entries).includes('bad')) throw new Error('refused');
        written.push(...idsOf(entries));
      },
      ({ id }) => lost.push(id),
    );
    for (const id of ['a', 'b', 'bad', 'c']) background.add(entry(id));
    await background.finish();
    expect({ written, lost }).toEqual({ written: ['a', 'b', 'c'], lost: ['bad'] });
  });

  it('are lost, and not tried one by one, while the database is away', async () => {
    let statements = 0;
    const lost: string[] = [];
    const background = new BackgroundEntries(
      async () => {
        statements += 1;
        throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
      },
      ({ id }) => lost.push(id),
    );
    for (const id of ['a', 'b', 'c']) background.add(entry(id));
    await background.finish();
    expect({ statements, lost }).toEqual({ statements: 2, lost: ['a', 'b', 'c'] });
  });

  it('are refused while 1,000 others wait', async () => {
    const written: string[] = [];
    const background = new BackgroundEntries(
      async (entries) => void written.push(...idsOf(entries)),
      () => undefined,
    );
    for (let id = 0; id < 1_500; id++) background.add(entry(String(id)));
    await background.finish();
    expect(written).toHaveLength(1_001);
  });
});

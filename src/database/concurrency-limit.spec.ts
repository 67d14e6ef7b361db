import { ConcurrencyLimit } from './concurrency-limit.js';
import { UserBusyError } from './database-errors.js';

/** Work that begins when it gets a slot and lasts until it is ended. */
class Stage {
  readonly begun: string[] = [];
  readonly refused: string[] = [];
  private readonly ends = new Map<string, (failure?: Error) => void>();

  constructor(private readonly limit: ConcurrencyLimit) {}

  /** @param names each begins with its user's name: `ann 1` */
  async ask(...names: string[]): Promise<void> {
    for (const name of names) {
      const work = () =>
        new Promise<void>((resolve, reject) => {
          this.begun.push(name);
          this.ends.set(name, (failure) => (failure ? reject(failure) : resolve()));
        });
      this.limit.run(name.split(' ')[0]!, work).catch((error: unknown) => {
        if (error instanceof UserBusyError) this.refused.push(name);
      });
    }
    await settled();
  }

  async end(name: string, failure?: Error): Promise<void> {
    this.ends.get(name)!(failure);
    await settled();
  }
}

/** Everything that follows without waiting for anything outside has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
const many = (user: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${user} ${index + 1}`);

let stage: Stage;
beforeEach(() => {
  stage = new Stage(new ConcurrencyLimit(4, { ofOneUser: 4, ofAll: 16 }));
});

it('A concurrency limit refuses work that has waited too long, and continues with the next', async () => {
  stage = new Stage(new ConcurrencyLimit(2, { ofOneUser: 2, ofAll: 4 }, { waitMs: 20 }));
  await stage.ask('ann 1', 'ann 2');
  while (stage.refused.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(stage.refused).toEqual(['ann 2']);
  await stage.ask('ann 3');
  await stage.end('ann 1');
  expect(stage.begun).toEqual(['ann 1', 'ann 3']);
});

describe('A concurrency limit', () => {
  it('gives one user half of the slots, queues four, and refuses the others at once', async () => {
    await stage.ask(...many('ann', 60));
    expect(stage.begun).toEqual(['ann 1', 'ann 2']);
    expect(stage.refused).toEqual(many('ann', 60).slice(6));
  });

  it('gives one user another share if it is made so', async () => {
    stage = new Stage(new ConcurrencyLimit(4, { ofOneUser: 4, ofAll: 16 }, { shareOfOneUser: 3 / 4 }));
    await stage.ask(...many('ann', 60), 'bob 1');
    expect(stage.begun).toEqual(['ann 1', 'ann 2', 'ann 3', 'bob 1']);
  });

  it('gives a slot to another user although the first one requested sixty', async () => {
    await stage.ask(...many('ann', 60), 'bob 1');
    expect(stage.begun).toEqual(['ann 1', 'ann 2', 'bob 1']);
  });

  it('lets a late user wait for one or two turns despite many requests of others', async () => {
    await stage.ask(...many('ann', 60), ...many('bob', 60), ...many('cid', 60), 'dan 1');
    expect(stage.begun).toEqual(['ann 1', 'ann 2', 'bob 1', 'bob 2']);
    await stage.end('ann 1');
    await stage.end('bob 2');
    await stage.end('ann 2');
    expect(stage.begun.slice(4)).toEqual(['cid 1', 'cid 2', 'dan 1']);
  });

  it('limits the queue of all users together', async () => {
    const users = Array.from({ length: 21 }, (_, index) => `user${index} 1`);
    await stage.ask(...users);
    expect(stage.begun).toEqual(users.slice(0, 4));
    expect(stage.refused).toEqual(users.slice(20));
  });

  it('runs queued work in order, and has all slots free afterwards', async () => {
    await stage.ask(...many('ann', 7));
    for (const name of many('ann', 6)) await stage.end(name);
    expect(stage.begun).toEqual(many('ann', 6));
    await stage.ask('ann 8', 'ann 9');
    expect(stage.begun.slice(6)).toEqual(['ann 8', 'ann 9']);
  });

  it('releases the slot of work that fails', async () => {
    await stage.ask(...many('ann', 3));
    await stage.end('ann 1', new Error('no'));
    expect(stage.begun).toEqual(many('ann', 3));
  });

  it('rejects with an error that the work throws before its first await', async () => {
    const limit = new ConcurrencyLimit(1, { ofOneUser: 2, ofAll: 4 }, { waitMs: 100 });
    const away = () => {
      throw new Error('no database yet');
    };
    await expect(limit.run('ann', away)).rejects.toThrow('no database yet');
    await expect(limit.run('ann', () => Promise.resolve(1))).resolves.toBe(1);
  });

  it('returns the result of the work or throws its error', async () => {
    const limit = new ConcurrencyLimit(1, { ofOneUser: 2, ofAll: 4 });
    expect(await limit.run('ann', () => Promise.resolve(7))).toBe(7);
    await expect(limit.run('ann', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});

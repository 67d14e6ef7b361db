import { jest } from '@jest/globals';
import { type Person, registerPerson } from '../builders/people.js';
import { ask, claim, createWorker, eventsOf, readRun, tell, type TestRun } from '../builders/runs.js';
import { replayed } from '../harness/idempotency-replies.js';
import { untilSomeoneWaits, whileGated } from '../harness/held-lock.js';
import { until } from '../harness/until.js';
import { Instances } from './instances.js';

/** Services start one after the other, which takes a busy machine a minute. */
jest.setTimeout(180_000);

const RUNS = 20;

let instances: Instances;
let person: Person;

beforeAll(async () => {
  instances = await Instances.start(2, { MONITOR_INTERVAL_SECONDS: '1' });
  person = await registerPerson(instances.app());
});

afterAll(() => instances.close());

type Worker = Awaited<ReturnType<typeof createWorker>>;

/** The runtime of an agent at another instance. */
const at = (instance: number, worker: Worker) => ({ runtime: instances.all[instance]!.api.as(worker.key) });

describe('Runs on two instances', () => {
  it('are given to one claim each, on any instance', async () => {
    const worker = await createWorker(instances.app(), person);
    const asked: TestRun[] = [];
    for (let run = 0; run < RUNS; run++) asked.push(await ask(person, worker));
    const claims = await Promise.all(
      Array.from({ length: 2 * RUNS }, (_, index) =>
        claim(at(index % 2, worker), { limit: 1 + (index % 3) }),
      ),
    );
    const taken = claims.flat().map(({ run_id: id }) => id);
    expect(taken.sort()).toEqual(asked.map(({ id }) => id).sort());
  });

  it('wake a claim that waits at the other one, and the person who waits for the end', async () => {
    const worker = await createWorker(instances.app(), person);
    expect(await claim(at(1, worker))).toEqual([]);
    const waiting = claim(at(1, worker), { wait: 60 });
    const { id } = await ask(person, worker);
    expect((await waiting).map(({ run_id: taken }) => taken)).toEqual([id]);
    const ended = person.api.get(`/runs/${id}?wait=60`);
    await tell(at(1, worker), { run_id: id, status: 'succeeded', output: 1 });
    expect((await ended).body).toMatchObject({ status: 'succeeded', output: 1 });
  });

  it('end once, when both instances get different ends at the same moment', async () => {
    const worker = await createWorker(instances.app(), person);
    const { id } = await ask(person, worker);
    await claim(worker);
    const ends = ['succeeded', 'failed', 'succeeded', 'failed'];
    const replies = await Promise.all(
      ends.map((status, index) => tell(at(index % 2, worker), { run_id: id, status })),
    );
    const { status } = await readRun(person, id);
    expect(replies.map((reply) => reply.status)).toEqual(ends.map(() => status));
    expect(await eventsOf(person, id)).toEqual(['queued', 'started', status]);
  });

  it('have a deployment that stops while they are created and taken', async () => {
    const worker = await createWorker(instances.app(), person);
    const outcomes = await Promise.all([
      ...Array.from({ length: 5 }, () => person.api.post(`/agents/${worker.id}/runs`, {})),
      person.api.post(`/agents/${worker.id}/stop`),
      ...Array.from({ length: 5 }, (_, index) =>
        at(index % 2, worker).runtime.post('/agents/runs/claim', {}),
      ),
    ]);
    expect(outcomes.every(({ status }) => status < 300)).toBe(true);
  });
});

describe('A service that is killed in the middle of a step of a run', () => {
  /** Begins a request at the first instance, kills that after the commit, and starts another one. */
  async function killedAfterCommit(
    begin: () => Promise<unknown>,
    committed: () => Promise<boolean>,
  ): Promise<void> {
    const { database, first } = instances;
    await whileGated(database, 'run_events', 'commit', async (open) => {
      const lost = expect(begin()).rejects.toThrow();
      await untilSomeoneWaits(database);
      // A stopped process can't answer, whatever the database does now.
      first.process.kill('SIGSTOP');
      await open();
      await until(committed);
      await instances.kill(first);
      await lost;
    });
    await instances.add();
  }

  /** The same caller at an instance that runs. */
  const again = (credential: string) => instances.first.api.as(credential);

  it('has made the run once when the same key is sent again', async () => {
    const owner = await registerPerson(instances.app());
    const worker = await createWorker(instances.app(), owner);
    const headers = { 'Idempotency-Key': 'asked once' };
    const path = `/agents/${worker.id}/runs`;
    await killedAfterCommit(
      () => owner.api.post(path, { input: 1 }, { headers }),
      async () =>
        (await instances.database.query('SELECT FROM runs WHERE agent_id = $1', [worker.id])).length === 1,
    );
    const api = again(owner.accessToken);
    const reply = await api.post(path, { input: 1 }, { headers });
    expect([reply.status, replayed(reply)]).toEqual([201, 'true']);
    expect((await api.get(`/runs?agent_id=${worker.id}`)).body).toMatchObject([{ id: reply.body.id }]);
  });

  it('gives the same run to the claim that is repeated under its key', async () => {
    const owner = await registerPerson(instances.app());
    const worker = await createWorker(instances.app(), owner);
    const { id } = await ask(owner, worker);
    const headers = { 'Idempotency-Key': 'claimed once' };
    const isTaken = async () =>
      (await instances.database.query(`SELECT FROM runs WHERE id = $1 AND status = 'running'`, [id]))
        .length === 1;
    await killedAfterCommit(() => worker.runtime.post('/agents/runs/claim', {}, { headers }), isTaken);
    const runtime = again(worker.key);
    expect(await claim({ runtime }, {}, headers)).toMatchObject([{ run_id: id, attempt: 1 }]);
    expect(await claim({ runtime })).toEqual([]);
  });

  it('keeps the end that it has committed, and answers the repeated report with it', async () => {
    const owner = await registerPerson(instances.app());
    const worker = await createWorker(instances.app(), owner);
    const { id } = await ask(owner, worker);
    await claim(worker);
    const end = { run_id: id, status: 'succeeded', output: { answer: 42 } };
    const isEnded = async () =>
      (await instances.database.query(`SELECT FROM runs WHERE id = $1 AND status = 'succeeded'`, [id]))
        .length === 1;
    await killedAfterCommit(() => tell(worker, end), isEnded);
    const runtime = again(worker.key);
    expect(await tell({ runtime }, { ...end, status: 'failed' })).toMatchObject({ status: 'succeeded' });
    expect((await again(owner.accessToken).get(`/runs/${id}`)).body).toMatchObject({
      status: 'succeeded',
      output: { answer: 42 },
    });
  });
});

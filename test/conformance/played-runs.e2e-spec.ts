import { jest } from '@jest/globals';
import type { PlayedRun } from '../../packages/conformance/src/service/played-runs.js';
import { newIdentity, PlayedService } from '../../packages/conformance/src/service/played-service.js';
import { until } from '../harness/until.js';

let service: PlayedService;

beforeEach(async () => {
  service = new PlayedService(newIdentity());
  await service.open(0);
});

afterEach(() => service.close());

async function post(path: string, body: object, key?: string) {
  const reply = await fetch(`${service.url}/agents/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.identity.key}`,
      'content-type': 'application/json',
      connection: 'close',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, any> };
}

const ask = () => service.runs.ask('01997f3a-2222-7c11-8000-000000000001', (id) => ({ of: id }));
const idsOf = (claimed: { body: Record<string, any> }) => claimed.body.runs.map((it: any) => it.run_id);

/** A run that the agent has. */
async function taken(): Promise<PlayedRun> {
  const run = ask();
  await post('runs/claim', {});
  return run;
}

describe('The played service', () => {
  it('gives at most the requested number of runs, and the same ones under the key of a claim', async () => {
    const [first, second] = [ask(), ask()];
    expect(idsOf(await post('runs/claim', { limit: 1 }, 'k'))).toEqual([first.id]);
    expect(idsOf(await post('runs/claim', { limit: 1 }, 'k'))).toEqual([first.id]);
    expect(idsOf(await post('runs/claim', { limit: 5 }, 'l'))).toEqual([second.id]);
    expect(idsOf(await post('runs/claim', { limit: 0 }, 'k'))).toEqual([]);
    expect(idsOf(await post('runs/claim', { limit: 5 }))).toEqual([]);
    expect(first.deliveries.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it('answers a claim that waits when there is a run, or one to be ended early', async () => {
    const waiting = post('runs/claim', { wait: 20 });
    await until(() => service.calls.length === 1);
    const run = ask();
    expect(idsOf(await waiting)).toEqual([run.id]);
    const next = post('runs/claim', { wait: 20 });
    await until(() => service.calls.length === 2);
    service.runs.cancel(run);
    expect((await next).body).toEqual({ runs: [], cancel_runs: [run.id] });
    expect((await post('heartbeat', { runs: [run.id] })).body.cancel_runs).toEqual([run.id]);
    const report = { runs: [{ run_id: run.id, status: 'running' }] };
    expect((await post('runs', report)).body.runs).toMatchObject([{ cancel_requested: true }]);
  });

  it('abandons runs that two heartbeats in a row, or a registration, do not name; a real end still counts', async () => {
    const [left, kept] = [await taken(), await taken()];
    const at = jest.spyOn(service, 'now');
    const beat = (milliseconds: number, ...runs: string[]) => {
      at.mockReturnValue(milliseconds);
      return post('heartbeat', { runs });
    };
    await beat(10_000, kept.id);
    await beat(16_000, kept.id, left.id);
    await beat(17_000, kept.id);
    // the same one, arriving twice
    await beat(17_100, kept.id);
    expect(left.status).toBe('running');
    await beat(22_000, kept.id);
    expect([left.status, kept.status]).toEqual(['abandoned', 'running']);
    await post('register', { runs: [] });
    expect(kept.status).toBe('abandoned');
    await post('runs', { runs: [{ run_id: kept.id, status: 'succeeded', output: 1 }] });
    await post('runs', { runs: [{ run_id: kept.id, status: 'failed' }] });
    expect(kept.status).toBe('succeeded');
  });

  it('gives a run again whose attempt it gives up, and lets no report of that one move the next', async () => {
    const run = await taken();
    service.runs.giveUp(run);
    const tell = async (attempt: number, status: string) =>
      (await post('runs', { runs: [{ run_id: run.id, attempt, status }] })).body.runs;
    expect(await tell(1, 'succeeded')).toMatchObject([{ status: 'queued', attempt: 1 }]);
    expect(idsOf(await post('runs/claim', {}))).toEqual([run.id]);
    expect(await tell(1, 'succeeded')).toMatchObject([{ status: 'running', attempt: 2 }]);
    expect(await tell(1, 'waiting')).toMatchObject([{ status: 'running', attempt: 2 }]);
    expect(await tell(2, 'failed')).toMatchObject([{ status: 'failed', attempt: 2 }]);
  });

  it('takes back runs that were not begun, begins runs of the agent, and ignores invalid entries', async () => {
    const run = await taken();
    const { status, body } = await post('runs', {
      runs: [
        { run_id: run.id, status: 'queued' },
        { run_id: run.id, status: 'splendid' },
        { run_key: 'import', status: 'running' },
        { run_id: '01997f3a-2222-7c11-8000-000000000002', status: 'failed' },
      ],
    });
    expect(status).toBe(200);
    expect(body.runs).toMatchObject([
      { run_id: run.id, status: 'queued' },
      { run_key: 'import', status: 'running' },
      { status: null },
    ]);
    expect(body.refused).toMatchObject([{ field: 'runs.1.status' }]);
    expect(idsOf(await post('runs/claim', {}))).toEqual([run.id]);
    expect(run.deliveries.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('refuses another batch under the same key', async () => {
    const run = await taken();
    const report = (status: string) => post('runs', { runs: [{ run_id: run.id, status }] }, 'k');
    expect((await report('running')).status).toBe(200);
    expect((await report('running')).status).toBe(200);
    expect((await report('failed')).status).toBe(422);
  });
});

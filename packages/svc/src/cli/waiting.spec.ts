import { jest } from '@jest/globals';
import { createServiceClient } from '@agent-control-plane/client';
import type { Context } from './context.js';
import { waitUntilReady } from './waiting.js';

const deployment = (change: object = {}) => ({
  id: 'd',
  status: 'deploying',
  generation: 1,
  observed_generation: null,
  replicas: 1,
  ready_replicas: 0,
  error_message: null,
  ...change,
});
const READY = deployment({ status: 'ready', observed_generation: 1, ready_replicas: 1 });

const json = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

/** Answers each look with one of these, then with the last; there is no stream of events. */
function contextOf(answers: (() => Response)[]) {
  const lookedAt: number[] = [];
  const fetch = async ({ url }: Request) => {
    if (url.endsWith('/stream')) return json(404, { detail: 'No stream' });
    lookedAt.push(Date.now());
    return answers[Math.min(lookedAt.length, answers.length) - 1]!();
  };
  const service = createServiceClient({ baseUrl: 'http://service.test', fetch, retries: 0 });
  const progress = { update: () => undefined, note: () => undefined, end: () => undefined };
  const context = {
    service: () => service,
    signal: new AbortController().signal,
    terminal: { showProgress: () => progress },
  } as unknown as Context;
  return { context, lookedAt };
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const refusal = (status: number, seconds: number) => () =>
  json(status, { detail: 'Too much to do' }, { 'retry-after': String(seconds) });

describe('Waiting for a deployment', () => {
  it.each([429, 503])('checks again only after the Retry-After of a %i', async (status) => {
    const { context, lookedAt } = contextOf([refusal(status, 30), () => json(200, READY)]);
    const waiting = waitUntilReady(context, deployment() as never, { timeout: 600 });
    await jest.advanceTimersByTimeAsync(29_900);
    expect(lookedAt).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1_200);
    expect(await waiting).toMatchObject({ status: 'ready' });
    expect(lookedAt).toHaveLength(2);
  });

  it.each([401, 404])('continues after the page of a proxy with %i', async (status) => {
    const page = () => new Response('<h1>default backend</h1>', { status });
    const { context, lookedAt } = contextOf([page, page, () => json(200, READY)]);
    const waiting = waitUntilReady(context, deployment() as never, { timeout: 600 });
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await waiting).toMatchObject({ status: 'ready' });
    expect(lookedAt).toHaveLength(3);
  });

  it('continues after a jump of the clock beyond its time limit', async () => {
    const { context } = contextOf([() => json(200, deployment()), () => json(200, READY)]);
    const waiting = waitUntilReady(context, deployment() as never, { timeout: 600 });
    jest.setSystemTime(Date.now() + 3_600_000);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await waiting).toMatchObject({ status: 'ready' });
  });

  it('ends when the service has no such deployment', async () => {
    const gone = { statusCode: 404, detail: 'Deployment not found', request_id: 'r' };
    const { context } = contextOf([() => json(404, gone)]);
    const waiting = waitUntilReady(context, deployment() as never, { timeout: 600 });
    await expect(waiting).rejects.toThrow('Deployment not found');
  });

  it('reports progressing during a scale of a ready deployment', async () => {
    const scaled = deployment({
      status: 'ready',
      generation: 2,
      observed_generation: 2,
      replicas: 4,
      ready_replicas: 1,
    });
    const { context } = contextOf([() => json(200, scaled)]);
    const waiting = waitUntilReady(context, scaled as never, { timeout: 5 });
    const outcome = expect(waiting).rejects.toThrow('it is progressing, 1 of 4 replicas ready');
    await jest.advanceTimersByTimeAsync(10_000);
    await outcome;
  });

  it('ends in time without a further request when Retry-After exceeds the time limit', async () => {
    const { context, lookedAt } = contextOf([refusal(503, 600)]);
    const waiting = waitUntilReady(context, deployment() as never, { timeout: 60 });
    const outcome = expect(waiting).rejects.toThrow('Not done within 1m');
    await jest.advanceTimersByTimeAsync(60_000);
    await outcome;
    expect(lookedAt).toHaveLength(1);
  });
});

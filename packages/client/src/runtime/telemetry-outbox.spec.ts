import { ServiceError } from '../service-errors.js';
import type { ServiceLink } from './service-link.js';
import { refusedIndexes, TelemetryOutbox } from './telemetry-outbox.js';

describe('The list of refused entries', () => {
  it('comes from the problems that name them', () => {
    const problems = [
      'logs.3.level must be one of debug',
      'logs.3.message must be a string',
      'logs.12 must be an object',
    ];
    expect([...refusedIndexes(problems, 'logs', 20)]).toEqual([3, 12]);
  });

  it('is unknown if a problem names none, or one that was not sent', () => {
    expect(
      refusedIndexes(['agent_id must be a UUID', 'metrics.1.cpu_usage', 'logs.99.level'], 'logs', 5).size,
    ).toBe(0);
  });
});

describe('A batch that the service refuses', () => {
  /** Sends lines through a service that answers each batch as `answer` says, until none waits. */
  async function send(count: number, answer: (batch: readonly number[]) => ServiceError | undefined) {
    const sent: number[] = [];
    const given: number[] = [];
    const over = new AbortController();
    const link = {
      refused: new AbortController().signal,
      pause: async (_: number, signal: AbortSignal) =>
        new Promise((resolve) => setImmediate(() => resolve(signal.aborted))),
      retryTransient: (call: () => Promise<unknown>) => call(),
    } as unknown as ServiceLink;
    const outbox = new TelemetryOutbox<number>({
      link,
      name: 'logs',
      limits: { entries: 10_000, bytes: 1_000_000 },
      sizeOf: () => 10,
      post: (batch) => async () => {
        sent.push(batch.length);
        const refusal = answer(batch);
        if (refusal) throw refusal;
      },
      ownerOf: () => '',
      noticesOf: () => [],
      onRefused: (refused) => given.push(refused.length),
    });
    for (let line = 0; line < count; line += 1) outbox.push(line);
    const running = outbox.run(over.signal).catch(() => undefined);
    await outbox.flushed();
    over.abort(new Error('over'));
    await running;
    return { sent, given };
  }
  const refusal = (status: number, problems: readonly string[] = []) =>
    new ServiceError(status, 'Refused', problems, 'a-request', undefined);

  it('is given up as a whole if it is refused because of its sender', async () => {
    expect(await send(1_000, () => refusal(403))).toEqual({ sent: [1_000], given: [1_000] });
  });

  it.each([400, 413, 422])(
    'is halved after a %i that names no entry, down to the refused entry',
    async (status) => {
      const refused = (batch: readonly number[]) => (batch.includes(3) ? refusal(status) : undefined);
      expect(await send(8, refused)).toEqual({ sent: [8, 4, 2, 2, 1, 1, 4], given: [1] });
    },
  );

  it('is sent again without the named entries', async () => {
    const named = (batch: readonly number[]) =>
      batch.length === 4 ? refusal(422, ['logs.1.level must be one of info']) : undefined;
    expect(await send(4, named)).toEqual({ sent: [4, 3], given: [1] });
  });
});

import { type FieldError, ServiceError } from '../service-errors.js';
import type { ServiceLink } from './service-link.js';
import { refusedIndexes, TelemetryOutbox } from './telemetry-outbox.js';

/** Broken rules as a 422 lists them: the words of the messages are for people alone. */
const broken = (...fields: (string | null)[]): FieldError[] =>
  fields.map((field) => ({ field, message: 'logs.0.level is in no message', code: 'invalid_value' }));

describe('The list of refused entries', () => {
  it('comes from the fields of the broken rules', () => {
    expect([...refusedIndexes(broken('logs.3.level', 'logs.3.message', 'logs.12'), 'logs', 20)]).toEqual([
      3, 12,
    ]);
  });

  it('is unknown if no field is in an entry, or in one that was not sent', () => {
    const fields = broken('agent_id', 'metrics.1.cpu_usage', 'logs.99.level', 'logs', null);
    expect(refusedIndexes(fields, 'logs', 5).size).toBe(0);
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
  const refusal = (status: number, ...fields: string[]) =>
    Object.assign(new ServiceError(status, 'Refused', ['Refused'], 'a-request', undefined), {
      errors: broken(...fields),
    });

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
      batch.length === 4 ? refusal(422, 'logs.1.level') : undefined;
    expect(await send(4, named)).toEqual({ sent: [4, 3], given: [1] });
  });
});

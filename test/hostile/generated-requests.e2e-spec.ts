import { monitorEventLoopDelay } from 'node:perf_hooks';
import { request } from 'node:http';
import fc from 'fast-check';
import { type Belongings, BELONGINGS_SETTINGS, giveBelongings } from '../builders/belongings.js';
import { type Person, registerOperator, registerPerson } from '../builders/people.js';
import { stayOffTheNet } from '../builders/webhooks.js';
import type { ApiReply } from '../harness/api-client.js';
import { expectIncomingDocumented } from '../harness/api-contract.js';
import { expectError } from '../harness/error-shape.js';
import { ApiDescription } from '../harness/openapi.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { expectNoStall, MAXIMUM_STALL_MS } from './event-loop.js';
import { type HostileRequest, hostileRequests } from './hostile-requests.js';

/** `npm run test:hostile` sends twenty times as many. */
const REQUESTS = Number(process.env.HOSTILE_REQUESTS ?? 1_000);
const SEED = Number(process.env.HOSTILE_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Time limit of a reply, on a machine with other work to do; a stream is closed after its beginning. */
const PATIENCE_MS = 20_000;
/** Number of requests after which deleted resources are created again. */
const RENEWAL_INTERVAL = 40;

let service: TestApp;
let api: ApiDescription;
/** The operator who makes other people operators. */
let operator: Person;
let person: Person;
let stranger: Person;
let belongings: Belongings;
let sinceRenewal = 0;
let isSomethingGone = false;

beforeAll(async () => {
  service = await startTestApp({ settings: BELONGINGS_SETTINGS });
  stayOffTheNet(service);
  api = await ApiDescription.of(service);
  operator = await registerOperator(service);
  stranger = await registerPerson(service);
  await renew();
});

afterAll(() => service.close());

/** Creates the deleted resources again, for a new person, who has not reached any limit. */
async function renew(): Promise<void> {
  person = await registerPerson(service);
  await operator.api.patch(`/users/${person.id}`, { is_admin: true });
  belongings = await giveBelongings(service, person);
  sinceRenewal = 0;
  isSomethingGone = false;
}

function credentialOf({ caller }: HostileRequest): string | undefined {
  const { agent } = belongings;
  return { nobody: undefined, person: person.accessToken, stranger: stranger.accessToken, agent: agent.key }[
    caller
  ];
}

/** Replaces placeholders by ids of the caller's resources; a changed user is another one. */
function withIds(text: string): string {
  const ids: Record<string, string> = { ...belongings.ids, user_id: stranger.id };
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => ids[name] ?? whole);
}

/** Sends a request, and ends the maintenance that it may have started, which would refuse everything else. */
async function send(hostile: HostileRequest): Promise<ApiReply<any>> {
  const reply = await exchange(hostile);
  if (hostile.operation === 'putMaintenance' && reply.status === 200)
    await operator.api.delete('/maintenance');
  return reply;
}

function exchange(hostile: HostileRequest): Promise<ApiReply<any>> {
  const path = withIds(hostile.path);
  const { method } = hostile;
  const body = hostile.body === undefined ? undefined : withIds(hostile.body);
  const credential = credentialOf(hostile);
  const { hostname, port } = new URL(service.url);
  const headers = {
    ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...hostile.headers,
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path, headers, agent: false, timeout: PATIENCE_MS },
      (reply) => {
        const chunks: Buffer[] = [];
        const finish = () => {
          const text = Buffer.concat(chunks).toString();
          try {
            expectIncomingDocumented({ method, path }, reply, text);
            const isJson = text !== '' && /json/.test(reply.headers['content-type'] ?? '');
            const given = new Headers(
              Object.entries(reply.headers).map(([name, value]) => [name, String(value)]),
            );
            resolve({
              status: reply.statusCode ?? 0,
              headers: given,
              body: isJson ? JSON.parse(text) : text,
            });
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
          sent.destroy();
        };
        if (reply.headers['content-type']?.startsWith('text/event-stream')) return finish();
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('error', reject);
        reply.on('end', finish);
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A 5xx that is no fault of the service. Requests are sent one by one, so overload does not count. */
function isExpectedFailure({ operation }: HostileRequest, status: number): boolean {
  // A webhook's test reports the failure of the receiver, which does not exist.
  return operation === 'testWebhook' && status === 502;
}

async function expectAnswered(hostile: HostileRequest): Promise<void> {
  const reply = await send(hostile);
  const { status } = reply;
  if (status >= 500 && !isExpectedFailure(hostile, status))
    throw new Error(`It was answered ${status}: ${JSON.stringify(reply.body)}`);
  if (status >= 400 && hostile.method !== 'HEAD') expectError(reply, status);
  sinceRenewal++;
  if (hostile.method === 'DELETE' && status === 204) isSomethingGone = true;
  if (isSomethingGone && sinceRenewal >= RENEWAL_INTERVAL) await renew();
}

describe('Requests that are generated from the document', () => {
  it(
    `are answered as the document says, and none delays the others (${REQUESTS}, HOSTILE_SEED=${SEED})`,
    async () => {
      process.stdout.write(`${REQUESTS} hostile requests; the same ones again: HOSTILE_SEED=${SEED}\n`);
      const delays = monitorEventLoopDelay({ resolution: 5 });
      delays.enable();
      let previous: HostileRequest | undefined;
      const property = fc.asyncProperty(hostileRequests(api), async (hostile) => {
        await expectAnswered(hostile);
        const suspects = [previous, hostile].filter((one) => one !== undefined);
        previous = hostile;
        if (delays.max / 1e6 <= MAXIMUM_STALL_MS) return;
        delays.reset();
        // A stall is noticed one turn later, and may belong to another request: each is repeated alone.
        for (const suspect of suspects) await expectNoStall(() => send(suspect));
        delays.reset();
      });
      try {
        await fc.assert(property, { numRuns: REQUESTS, seed: SEED, endOnFailure: false });
      } finally {
        delays.disable();
      }
    },
    Math.max(180_000, REQUESTS * 60),
  );
});

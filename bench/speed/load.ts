import autocannon from 'autocannon';
import { Histogram } from '../fleet/histogram.js';
import type { Bench } from './bench.js';
import type { Program } from './program.js';
import type { Contender, Sample } from './section.js';

/** Connections, each of which sends its next request when it has the answer to the last one. */
export const CONNECTIONS = 64;

/** A load ends when it next looks at the clock. */
const LOOK_EVERY_MS = 50;

export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** In the place of `body`: bytes that differ each time. */
  readonly binary?: { readonly type: string; next(): Buffer };
}

/** Requests that a connection sends in turn, by its number. */
export type RequestsOf = (connection: number) => readonly LoadRequest[];

interface LoadOptions {
  /** Number that one request counts for: the rows of a batch; 1 when absent. */
  readonly counted?: number;
  /** Connections; 64 when absent. */
  readonly connections?: number;
}

/** A contender that is called over HTTP, as fast as its connections can. */
export function underLoad(
  bench: Bench,
  name: string,
  program: Program,
  requestsOf: RequestsOf,
  { counted = 1, connections = CONNECTIONS }: LoadOptions = {},
): Contender {
  return {
    name,
    profiled: program,
    async measure(seconds) {
      bench.databaseCpu.begin();
      const before = await program.usage();
      const { answered, elapsedSeconds, latencies } = await load(
        program.url,
        requestsOf,
        { seconds, requestsEach: bench.sizes.requestsEach },
        connections,
      );
      const after = await program.usage();
      const { elapsedMs, groups } = bench.databaseCpu.read();
      const sample: Sample = {
        perSecond: (answered * counted) / elapsedSeconds,
        p50Ms: latencies.quantile(0.5),
        p99Ms: latencies.quantile(0.99),
        cpuMs: (after.cpuMs - before.cpuMs) / answered,
        databaseMs: ((groups.get('postgres')?.cores ?? 0) * elapsedMs) / answered,
        allocatedBytes: (after.allocatedBytes - before.allocatedBytes) / answered,
        memoryBytes: after.memoryBytes,
      };
      return sample;
    },
  };
}

/** How much a load sends: what fits into its seconds, or so many requests of each connection, however long they take. */
interface Extent {
  readonly seconds: number;
  readonly requestsEach?: number | undefined;
}

/** @throws when one request is answered with anything but a 2xx, or none is answered: there is nothing to compare then */
async function load(
  url: string,
  requestsOf: RequestsOf,
  { seconds, requestsEach }: Extent,
  connections: number,
) {
  const latencies = new Histogram();
  let connection = 0;
  const options: autocannon.Options = {
    url,
    connections,
    duration: seconds,
    ...(requestsEach !== undefined && { amount: requestsEach * connections }),
    sampleInt: LOOK_EVERY_MS,
    timeout: 30,
    setupClient: (client) => client.setRequests(requestsOf(connection++).map(inWords)),
  };
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const running = autocannon(options, (error, all) => (error ? reject(error as Error) : resolve(all)));
    // its own latencies are whole milliseconds
    running.on('response', (_client, _status, _bytes, milliseconds) => latencies.record(milliseconds));
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(
      `Not all requests were served: ${JSON.stringify(result.statusCodeStats)}, ${result.errors} errors`,
    );
  }
  if (result['2xx'] === 0) throw new Error(`No request was answered within ${seconds} s`);
  return { answered: result['2xx'], elapsedSeconds: result.duration, latencies };
}

function inWords({ method, path, headers = {}, body, binary }: LoadRequest): autocannon.Request {
  if (binary) {
    const typed = { ...headers, 'content-type': binary.type };
    return { method, path, headers: typed, setupRequest: (request) => ({ ...request, body: binary.next() }) };
  }
  return body === undefined
    ? { method, path, headers }
    : {
        method,
        path,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      };
}

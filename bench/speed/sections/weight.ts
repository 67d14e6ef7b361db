import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Histogram } from '../../fleet/histogram.js';
import type { Bench } from '../bench.js';
import type { Program } from '../program.js';
import { below, type Contender, type Sample, type Section } from '../section.js';

const MEBIBYTE = 1_024 * 1_024;
/** Size of a heavy body; below the default of `MAX_BODY_BYTES`. */
const HEAVY_BYTES = 900_000;
/** Number of other people who list their agents meanwhile. */
const OTHERS = 4;

const ENTRY = { level: 'info', message: 'x'.repeat(HEAVY_BYTES / 1_000 - 40) };
const LOGS = JSON.stringify({ logs: Array.from({ length: 1_000 }, () => ENTRY) });
/** Numbers that PostgreSQL writes with 309 digits each. */
const START = `{"metadata":{"numbers":[${Array.from({ length: HEAVY_BYTES / 6 }, () => '1e308').join(',')}]}}`;

type Burst = (service: Program) => Promise<unknown>;

/** The targets are bounds, not ratios: memory does not depend on the machine's speed. */
export const weight: Section = {
  name: 'weight',
  asks: 'the heaviest bodies that limits allow, 200 at once, again and again; `GET /agents?limit=50` of four others meanwhile',
  async contenders(bench) {
    const { agents } = bench.seed;
    const { heavyRequests } = bench.sizes;
    return [
      under(bench, 'starts of agents', (service) =>
        atOnce(heavyRequests, (index) => post(service, '/agents/register', agents[index]!.key, START)),
      ),
      under(bench, 'batches of logs', (service) =>
        atOnce(heavyRequests, (index) => post(service, '/agents/logs', agents[index]!.key, LOGS)),
      ),
      under(bench, 'unfinished bodies of nobody', (service) => heldOpen(service, 3 * heavyRequests)),
    ];
  },
  targets: ['starts of agents', 'batches of logs', 'unfinished bodies of nobody'].flatMap((name) => [
    below(400, name, 'memoryBytes', 'MiB at most', MEBIBYTE),
    below(200, name, 'longestTurnMs', 'longest turn, ms'),
    below(1_000, name, 'p99Ms', 'p99 of others, ms'),
  ]),
};

/** A fresh instance for each measurement: memory that a process once had, it may keep. */
function under(bench: Bench, name: string, burst: Burst): Contender {
  return {
    name,
    async measure(seconds): Promise<Sample> {
      const service = await bench.service();
      const headers = await bench.login(service);
      const end = performance.now() + seconds * 1_000;
      const latencies = new Histogram();
      let memoryBytes = 0;
      let refused = 0;
      let isOver = false;
      await service.watchTurns();
      const others = Array.from({ length: OTHERS }, async () => {
        while (!isOver) {
          const begunAt = performance.now();
          const reply = await fetch(`${service.url}/agents?limit=50`, { headers });
          await reply.arrayBuffer();
          if (!reply.ok) refused++;
          latencies.record(performance.now() - begunAt);
          memoryBytes = Math.max(memoryBytes, (await service.usage()).memoryBytes);
        }
      });
      const heavy = async () => {
        do await burst(service);
        while (performance.now() < end);
        isOver = true;
      };
      await Promise.all([heavy(), ...others]).finally(() => (isOver = true));
      const { lateMs } = await service.usage();
      await service.stop();
      if (refused > 0) return { failure: `${refused} requests of others were refused` };
      return {
        p50Ms: latencies.quantile(0.5),
        p99Ms: latencies.quantile(0.99),
        memoryBytes,
        longestTurnMs: lateMs.max,
      };
    },
  };
}

function atOnce(count: number, send: (index: number) => Promise<unknown>): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, (_, index) => send(index)));
}

/** A refusal is allowed: only the cost of the request is measured. */
async function post({ url }: Program, path: string, key: string, body: string): Promise<void> {
  const reply = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  });
  await reply.arrayBuffer();
}

/** Connections without a credential that each send all of a compressed body but its end, and stay for a second. */
async function heldOpen({ url }: Program, connections: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const body = gzipSync(Buffer.alloc(MEBIBYTE - 1, ' '));
  const head = [
    'POST /leads HTTP/1.1',
    `Host: ${hostname}:${port}`,
    'Content-Type: application/json',
    'Content-Encoding: gzip',
    `Content-Length: ${body.length}`,
  ].join('\r\n');
  const sockets = Array.from({ length: connections }, (): Socket => {
    const socket = connect(Number(port), hostname);
    // A refusal closes the connection.
    socket.on('error', () => socket.destroy());
    socket.write(`${head}\r\n\r\n`);
    socket.write(body.subarray(0, -1));
    return socket;
  });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  for (const socket of sockets) socket.destroy();
}

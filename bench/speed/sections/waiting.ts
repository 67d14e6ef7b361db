import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from '../bench.js';
import type { Program } from '../program.js';
import { atMost, below, type Contender, type Sample, type Section } from '../section.js';
import { type KeyedAgent, seedKeys } from '../seed.js';

/** An agent may have eight polls waiting. */
const POLLS_OF_AN_AGENT = 8;
/** Longest wait of a poll, so that none ends before it is measured. */
const WAIT_SECONDS = 60;
/** Sockets that are opened at once: fewer than a server's backlog. */
const AT_ONCE = 200;
export const waiting: Section = {
  name: 'waiting',
  asks: '10,000 polls of `GET /agents/commands?wait=60` that wait at once: what each holds; CPU of all in a second',
  async contenders(bench) {
    const agents = await agentsThatPoll(bench);
    const path = `/agents/commands?wait=${WAIT_SECONDS}`;
    return [
      polled(bench, 'service', () => bench.service(), path, agents),
      polled(bench, 'node:http', () => bench.limit('node-http'), '/wait', agents),
    ];
  },
  targets: [
    atMost(1.5, 'service', 'node:http', 'heldBytes', 'held by the service / this'),
    below(50, 'service', 'cpuMs', 'CPU ms in a second'),
  ],
};

/** Agents made for this section: the seed has keys for too few. */
function agentsThatPoll({ database, seed, sizes }: Bench): Promise<KeyedAgent[]> {
  return seedKeys(database, seed.agents.length, Math.ceil(sizes.waitingPolls / POLLS_OF_AN_AGENT));
}

/** Each measurement is a process of its own: memory that a process once had, it may keep. */
function polled(
  bench: Bench,
  name: string,
  start: () => Promise<Program>,
  path: string,
  agents: readonly KeyedAgent[],
): Contender {
  return {
    name,
    async measure(seconds) {
      const program = await start();
      const { waitingPolls: count, settleMs } = bench.sizes;
      // Keys are looked up and code is compiled before anything is compared.
      end(await begin(program, path, agents, Math.ceil(count / 10)));
      await delay(settleMs);
      const before = await program.usage();
      const sockets = await begin(program, path, agents, count);
      await delay(settleMs);
      const held = await program.usage();
      await delay(seconds * 1_000);
      const after = await program.usage();
      assertWaiting(sockets);
      end(sockets);
      await program.stop();
      const sample: Sample = {
        heldBytes: (held.memoryBytes - before.memoryBytes) / count,
        cpuMs: (after.cpuMs - held.cpuMs) / seconds,
        memoryBytes: held.memoryBytes,
      };
      return sample;
    },
  };
}

async function begin(
  program: Program,
  path: string,
  agents: readonly KeyedAgent[],
  count: number,
): Promise<Socket[]> {
  const { hostname, port, host } = new URL(program.url);
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - sockets.length) }, async (_, index) => {
      const { key } = agents[(sockets.length + index) % agents.length]!;
      const socket = connect(Number(port), hostname);
      // without a listener the event would end the process; `assertWaiting` throws the error
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.on('data', (reply) => socket.destroy(new Error(`A poll did not wait: ${reply.toString()}`)));
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      return socket;
    });
    sockets.push(...(await Promise.all(some)));
  }
  return sockets;
}

function assertWaiting(sockets: readonly Socket[]): void {
  const ended = sockets.find(({ destroyed }) => destroyed);
  if (ended) throw ended.errored ?? new Error('A poll did not wait: its connection was closed');
}

function end(sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.destroy();
}

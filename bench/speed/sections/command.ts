import { setTimeout as delay } from 'node:timers/promises';
import { callJson } from '../json-calls.js';
import { notifyRoundTrip } from '../notify-round-trip.js';
import type { Program } from '../program.js';
import { atMostMore, type Section } from '../section.js';
import type { KeyedAgent } from '../seed.js';
import { repeated } from '../timings.js';

/** Time after which the idle agent's poll is waiting. */
const POLL_WAITS_MS = 25;

interface Commands {
  readonly commands: readonly { readonly command_id: string }[];
}

export const command: Section = {
  name: 'command',
  asks: '`POST /agents/{id}/deploy` on one instance, until the agent that polls another one has the command',
  async contenders(bench) {
    const [deploying, polled] = [await bench.service(), await bench.service()];
    const person = await bench.login(deploying);
    let turn = 0;
    const next = () => bench.seed.agents[turn++ % bench.seed.agents.length]!;
    const roundTrip = await notifyRoundTrip(bench);
    return [
      {
        name: 'service',
        measure: (seconds) => repeated(seconds, () => deployAndTake(deploying, person, polled, next())),
      },
      { name: 'notify of PostgreSQL', measure: (seconds) => repeated(seconds, roundTrip) },
    ];
  },
  targets: [
    atMostMore(10, 'service', 'notify of PostgreSQL', 'p50Ms'),
    atMostMore(50, 'service', 'notify of PostgreSQL', 'p99Ms'),
  ],
};

async function deployAndTake(
  deploying: Program,
  person: Readonly<Record<string, string>>,
  polled: Program,
  agent: KeyedAgent,
): Promise<number> {
  const headers = { authorization: `Bearer ${agent.key}` };
  const poll = async () => {
    const taken = await callJson<Commands>(`${polled.url}/agents/commands?wait=30`, { headers });
    return { taken, at: performance.now() };
  };
  const deploy = async () => {
    await delay(POLL_WAITS_MS);
    const begunAt = performance.now();
    await callJson(`${deploying.url}/agents/${agent.id}/deploy`, { method: 'POST', headers: person });
    return begunAt;
  };
  const [{ taken, at }, begunAt] = await Promise.all([poll(), deploy()]);
  for (const { command_id } of taken.commands) {
    await callJson(`${polled.url}/agents/commands/acknowledge`, {
      method: 'POST',
      headers,
      body: { command_id, success: true },
    });
  }
  return at - begunAt;
}

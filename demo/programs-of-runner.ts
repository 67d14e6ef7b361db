import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentFacts } from './company.js';
import type { Pace } from './pace.js';

const ORDER_SYNC = fileURLToPath(new URL('programs/order-sync.js', import.meta.url));
/** It is not compiled, so it stands where it was written. */
const SALES_FORECAST = fileURLToPath(new URL('../../demo/programs/sales_forecast.py', import.meta.url));
/** An old Python does not know the type `list[int]`. */
const IS_NEW_ENOUGH = 'import sys; sys.exit(sys.version_info < (3, 9))';

/** Looks at a shop that does not exist, and says so in one line. */
const MONITOR = `while :; do echo "checkout answered 200 in $((40 + ($(date +%s) * 7919 + $$) % 90)) ms"; sleep 5; done`;

/** A start that crashes at once is never ready, however long it takes to begin: only then is it given up. */
const IS_READY = 'grep -qs "$REPLICA_ID" "$READY_FILE"';

export function hasPython(): boolean {
  return spawnSync('python3', ['-c', IS_NEW_ENOUGH], { stdio: 'ignore' }).status === 0;
}

/** The agents that are programs of their own, which `svc run` starts. */
export function programsOfRunner(folder: string, pace: Pace, withPython: boolean): readonly AgentFacts[] {
  const forecast: AgentFacts = {
    name: 'sales-forecast',
    type: 'job',
    description: 'Forecasts a category of books, in Python: a process for each run.',
    team: 'finance',
    config: { run: { command: ['python3', SALES_FORECAST], concurrency: 2, timeout_seconds: 60 } },
  };
  return [
    ...(withPython ? [forecast] : []),
    {
      name: 'shop-monitor',
      type: 'service',
      description: 'Looks at the checkout every five seconds, from two places.',
      team: 'shop',
      config: { command: ['sh', '-c', MONITOR], readiness: { seconds: pace.scaled(3) } },
    },
    {
      name: 'order-sync',
      type: 'service',
      description: 'Hands orders over to the carrier, one after the other.',
      team: 'shop',
      config: {
        command: [process.execPath, ORDER_SYNC],
        env: {
          CURSOR_FILE: join(folder, 'order-sync.cursor'),
          READY_FILE: join(folder, 'order-sync.ready'),
          PAUSE_MS: String(pace.scaled(4_000)),
        },
        readiness: { command: ['sh', '-c', IS_READY], interval_seconds: Math.max(0.2, pace.scaled(1)) },
        restart: {
          first_delay_seconds: pace.scaled(2),
          longest_delay_seconds: pace.scaled(6),
          give_up_after: 3,
        },
      },
    },
  ];
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { atMostMore, below, type Contender, type Section } from '../section.js';
import { repeated } from '../timings.js';

export const start: Section = {
  name: 'start',
  asks: 'from the start of the process to `/ready` on a migrated database; `svc --help`',
  contenders: (bench) =>
    Promise.resolve([
      {
        name: 'to /ready',
        measure: (seconds) =>
          repeated(seconds, async () => {
            const service = await bench.service();
            await service.stop();
            return service.startMs;
          }),
      },
      ended('svc --help', ['packages/svc/bin/svc.mjs', '--help']),
      ended('node -e 0', ['-e', '0']),
    ]),
  targets: [
    below(1_000, 'to /ready', 'p50Ms', 'p50, ms'),
    atMostMore(60, 'svc --help', 'node -e 0', 'p50Ms', 1.5),
  ],
};

function ended(name: string, parameters: readonly string[]): Contender {
  return {
    name,
    measure: (seconds) =>
      repeated(seconds, async () => {
        const begunAt = performance.now();
        const [code] = await once(spawn(process.execPath, parameters, { stdio: 'ignore' }), 'exit');
        if (code !== 0) throw new Error(`${name} ended with ${code}`);
        return performance.now() - begunAt;
      }),
  };
}

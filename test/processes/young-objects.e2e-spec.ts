import { execFileSync } from 'node:child_process';
import { startChildService } from '../harness/child-service.js';

/** V8 then prints what it decides on places in the program whose objects survive. */
const TRACED = '--trace-pretenuring-statistics';
const DECISION = 'pretenuring: AllocationSite';

// See src/config/heap-flags.ts. Nearly all objects of a start survive, so V8 would choose many places.
it('The service has V8 make no objects in the old generation', async () => {
  const DATABASE_URL = 'postgres://127.0.0.1:1/none';
  const service = await startChildService({ DATABASE_URL, LOG_LEVEL: 'fatal' }, { flags: [TRACED] });
  await service.end('SIGTERM');
  expect(service.output()).not.toContain(DECISION);
});

it('V8 prints its decisions on a program that leaves them to it', () => {
  const program = 'const kept = []; for (let i = 0; i < 1e5; i++) kept.push([i, { i }])';
  expect(execFileSync(process.execPath, [TRACED, '--eval', program], { encoding: 'utf8' })).toContain(
    DECISION,
  );
});

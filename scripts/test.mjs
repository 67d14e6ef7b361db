// npm test: all tests; `npm test -- agents` those whose file name matches.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { main, runNode } from './project.mjs';

/** Environment of the tests, without libpq's variables and NODE_ENV: tests have their own settings. */
function surroundings() {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^PG[A-Z]+$/.test(name) && name !== 'NODE_ENV',
  );
  return Object.fromEntries(kept);
}

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const flags = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    // Four workers share two processors: more threads for garbage collection would compete with them, and a larger
    // nursery is collected less often. Both together save 6 % of the processor time.
    '--single-threaded-gc',
    '--max-semi-space-size=64',
    // A small heap is collected completely after each small growth: this saves another 12 %.
    '--initial-heap-size=512',
  ];
  return runNode([...flags, 'node_modules/jest/bin/jest.js', ...process.argv.slice(2)], {
    env: surroundings(),
  });
});

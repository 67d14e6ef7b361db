import { allBreaches, NOTHING_WRONG, PLAYED_WITHIN_MS } from './in-turns.js';

describe('svc run', () => {
  it(
    'keeps to the protocol, whatever happens',
    async () => {
      const run = `exec ${process.execPath} packages/svc/dist/cli/main.js run --state-dir "$CONFORMANCE_DIRECTORY/state"`;
      expect(await allBreaches(['sh', '-c', run], 10)).toEqual(NOTHING_WRONG);
    },
    PLAYED_WITHIN_MS,
  );
});

import TestSequencer from '@jest/test-sequencer';

/** Those that take longest, of which one that came last would run alone. Size, by which Jest guesses, does not tell. */
const LONGEST = [
  'faults/start',
  'fleet',
  'browser/accessibility',
  'examples/curl-agent',
  'live-stream-readers',
  'conformance/faults',
  'faults/database-outage',
  'runner/agent-runtime',
  'runner/runner-end',
  'browser/session',
  'browser/story',
  'walk-throughs',
  'client/abandoned-requests',
  'cli/following',
  'cli/agents',
  'webhook-dispatch',
  'conformance/svc-run',
  'faults/embedded-postgres',
  'client',
];

function rank({ path }) {
  const place = LONGEST.findIndex((name) => path.includes(`/${name}.`));
  return place < 0 ? LONGEST.length : place;
}

/** For the first run of a fresh copy; where Jest knows how long each took, its own order stands. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return sorted.every(({ duration }) => duration === undefined)
      ? sorted.sort((one, other) => rank(one) - rank(other))
      : sorted;
  }
}

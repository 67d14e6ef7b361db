import type { AgentPresence } from '../agents/agent.types.js';
import type { CommandRecord } from '../commands/command.types.js';
import { waitingReason } from './waiting-reason.js';

const now = new Date('2030-01-01T00:00:00Z');
const earlier = '2029-12-31T23:59:00.000Z';
const later = '2030-01-01T00:01:00.000Z';
const online: AgentPresence = { lastSeenAt: earlier, isOnline: true };
const pending = {
  settledAt: null,
  leasedUntil: null,
  hasPredecessor: false,
  keyOfConfig: null,
} as CommandRecord;

describe('The reason why a command waits', () => {
  const cases: [string | null, Partial<CommandRecord>, AgentPresence][] = [
    [null, { settledAt: earlier, leasedUntil: later, hasPredecessor: true }, online],
    ['leased until 2030-01-01T00:01:00.000Z', { leasedUntil: later }, online],
    ['waiting for the previous command', { hasPredecessor: true }, { lastSeenAt: null, isOnline: false }],
    ['the agent has never connected', {}, { lastSeenAt: null, isOnline: false }],
    ['agent offline since 2029-12-31T23:59:00.000Z', {}, { lastSeenAt: earlier, isOnline: false }],
    [
      'agent offline since 2029-12-31T23:59:00.000Z',
      { leasedUntil: earlier },
      { lastSeenAt: earlier, isOnline: false },
    ],
    ['waiting for the agent to poll', {}, online],
    ['waiting for the agent to poll', { keyOfConfig: 'known' }, online],
    [
      "the config can't be decrypted: it was encrypted with a key that the service does not have",
      { keyOfConfig: 'gone' },
      online,
    ],
    ['waiting for the agent to poll', { leasedUntil: earlier }, online],
  ];

  it.each(cases)('is %j', (reason, command, presence) => {
    expect(waitingReason({ ...pending, ...command }, presence, ['known'], now)).toBe(reason);
  });
});

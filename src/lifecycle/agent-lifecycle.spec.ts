import {
  AGENT_STATUSES,
  AGENT_TRANSITIONS,
  type AgentCause,
  type AgentStatus,
  nextAgentStatus,
} from './agent-lifecycle.js';

/** The expected next status, written by hand; null: nothing changes. */
const promised: Record<AgentCause, Record<AgentStatus, AgentStatus | null>> = {
  signal: { creating: 'running', running: null, stopped: null, failed: 'running', deleting: null },
  start: { creating: 'running', running: null, stopped: 'running', failed: 'running', deleting: null },
  stop: { creating: 'stopped', running: 'stopped', stopped: null, failed: 'stopped', deleting: null },
  fail: { creating: 'failed', running: 'failed', stopped: null, failed: null, deleting: null },
  lose: { creating: 'failed', running: 'failed', stopped: 'failed', failed: null, deleting: null },
  remove: {
    creating: 'deleting',
    running: 'deleting',
    stopped: 'deleting',
    failed: 'deleting',
    deleting: null,
  },
};

describe('The lifecycle of an agent', () => {
  it('has exactly the expected causes', () => {
    expect(Object.keys(AGENT_TRANSITIONS).sort()).toEqual(Object.keys(promised).sort());
  });

  const cases = (Object.keys(promised) as AgentCause[]).flatMap((cause) =>
    AGENT_STATUSES.map((status) => ({ cause, status })),
  );

  it.each(cases)('changes as expected by $cause from $status', ({ cause, status }) => {
    expect(nextAgentStatus(cause, status)).toBe(promised[cause][status]);
  });
});

import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { isRecord } from '../evidence.js';

/** Time for which people can decide; milliseconds. */
const LIFE_MS = 86_400_000;

/** A question of the agent. */
export interface PlayedApproval {
  readonly id: string;
  /** The agent's own word for it. */
  readonly key: string;
  readonly runId: string | null;
  readonly asked: Record<string, unknown>;
  readonly requestedAt: Date;
  state: 'pending' | 'approved' | 'rejected' | 'withdrawn';
  isFetched: boolean;
}

/** The questions of the agent, as the service has them. */
export class PlayedApprovals {
  readonly all: PlayedApproval[] = [];

  /** @param notify wakes the polls that wait */
  constructor(private readonly notify: () => void) {}

  /** Asks, or finds the question with the same key. */
  ask(asked: Record<string, unknown>): PlayedApproval {
    const key = String(asked.approval_key);
    const known = this.all.find((each) => each.key === key);
    if (known) return known;
    const runId = typeof asked.run_id === 'string' ? asked.run_id.toLowerCase() : null;
    const about = { id: uuidv7(), key, runId, asked, requestedAt: new Date() };
    const approval: PlayedApproval = { ...about, state: 'pending', isFetched: false };
    this.all.push(approval);
    return approval;
  }

  find(id: string): PlayedApproval | undefined {
    return this.all.find((each) => each.id === id.toLowerCase());
  }

  /** The newest question for a run. */
  ofRun(runId: string): PlayedApproval | undefined {
    return this.all.findLast((each) => each.runId === runId);
  }

  /** The questions that a registration lists. */
  open(): PlayedApproval[] {
    return this.all.filter(({ state, isFetched }) => state !== 'withdrawn' && !isFetched);
  }

  /** Decides; the first decision counts. */
  decide(approval: PlayedApproval, state: Exclude<PlayedApproval['state'], 'pending'>): void {
    if (approval.state === 'pending') approval.state = state;
    this.notify();
  }
}

/** @param agentId of the agent that has asked */
export function approvalBody(approval: PlayedApproval, agentId: string): object {
  const { id, key, runId, asked, requestedAt, state, isFetched } = approval;
  const { name, args = null } = isRecord(asked.action) ? asked.action : {};
  const now = new Date().toISOString();
  return {
    id,
    approval_id: id,
    agent_id: agentId,
    run_id: runId,
    approval_key: key,
    title: asked.title,
    description: asked.description ?? null,
    action: { name, args },
    args_sha256: createHash('sha256').update(canonicalJson(args)).digest('hex'),
    risk: asked.risk ?? 'medium',
    allowed_decisions: asked.allowed_decisions ?? ['approve', 'reject'],
    state,
    first_approved_by: null,
    decided_by: state === 'approved' || state === 'rejected' ? `user:${agentId}` : null,
    reason: null,
    edited_args: null,
    response: null,
    requested_at: requestedAt.toISOString(),
    decided_at: state === 'pending' ? null : now,
    expires_at: new Date(requestedAt.getTime() + LIFE_MS).toISOString(),
    fetched_at: isFetched ? now : null,
  };
}

/** The canonical form of RFC 8785, of a value of `JSON.parse`. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([name, part]) => `${JSON.stringify(name)}:${canonicalJson(part)}`).join(',')}}`;
}

import { type Call, isRecord } from '../evidence.js';
import type { Answer } from './answer.js';
import { approvalBody, type PlayedApproval } from './played-approvals.js';
import type { PlayedState } from './played-state.js';

const UNKNOWN: Answer = { status: 404, message: 'Approval not found' };

/** The same key gets the same approval; another action under it is a conflict. */
export function askApproval(service: PlayedState, { body }: Call): Answer {
  const asked = isRecord(body) ? body : {};
  const approval = service.approvals.ask(asked);
  const isSame = JSON.stringify(approval.asked.action) === JSON.stringify(asked.action);
  if (!isSame) return { status: 409, message: 'This approval_key was used for another action' };
  return { status: 201, body: approvalBody(approval, service.identity.agentId) };
}

/** Waits like the service: until a person has decided, or the time is over. */
export async function answerQuestion(service: PlayedState, call: Call): Promise<Answer> {
  const approval = approvalOf(service, call);
  if (!approval) return UNKNOWN;
  const query = new URL(call.target, 'http://service').searchParams;
  const deadline = service.now() + Number(query.get('wait') || 0) * 1_000;
  for (;;) {
    if (call.hungUp) return { status: 200 };
    if (approval.state !== 'pending') approval.isFetched = true;
    const remaining = deadline - service.now();
    if (approval.isFetched || service.pollsEndedAt > call.at || remaining <= 0)
      return { status: 200, body: approvalBody(approval, service.identity.agentId) };
    await service.queue.somethingNew(Math.min(remaining, 250));
  }
}

export function withdrawQuestion(service: PlayedState, call: Call): Answer {
  const approval = approvalOf(service, call);
  if (!approval) return UNKNOWN;
  service.approvals.decide(approval, 'withdrawn');
  return { status: 200, body: approvalBody(approval, service.identity.agentId) };
}

function approvalOf({ approvals }: PlayedState, { target }: Call): PlayedApproval | undefined {
  return approvals.find(/^\/agents\/approvals\/([^/?]+)/.exec(target)?.[1] ?? '');
}

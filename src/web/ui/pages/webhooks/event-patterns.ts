import type { Webhook, WebhookEventPattern } from '@agent-control-plane/client';

/** A newer service may have patterns that this page does not know. */
export type EventPattern = Webhook['events'][number];
type Kind = Exclude<WebhookEventPattern, '*' | `${string}.*`>;

export type Family = 'agent.*' | 'deployment.*' | 'run.*' | 'budget.*' | 'quota.*' | 'approval.*';

/** Descriptions of all kinds; a kind that is missing here does not compile. */
const MEANINGS = {
  'agent.created': 'Created',
  'agent.registered': 'Its runtime registered',
  'agent.status_changed': 'Another status',
  'agent.moved': 'Moved to this project',
  'agent.paused': 'Paused',
  'agent.resumed': 'Resumed',
  'agent.deleted': 'Deleted',
  'deployment.deploy': 'Deployed',
  'deployment.running': 'Running',
  'deployment.recovered': 'Recovered',
  'deployment.ready': 'Ready',
  'deployment.degraded': 'Degraded',
  'deployment.crash_looping': 'Crash-looping',
  'deployment.stabilised': 'Stabilised',
  'deployment.scale': 'Scaled',
  'deployment.stop': 'Stopped',
  'deployment.completed': 'Completed',
  'deployment.restart': 'Restarted',
  'deployment.paused': 'Paused',
  'deployment.resumed': 'Resumed',
  'deployment.failed': 'Failed',
  'deployment.deadline_exceeded': 'Took too long',
  'deployment.heartbeat_lost': 'Heartbeat lost',
  'deployment.kill': 'Deleted',
  'run.queued': 'Queued',
  'run.started': 'Started',
  'run.waiting': 'Waiting',
  'run.resumed': 'Resumed',
  'run.returned': 'Released',
  'run.cancel_requested': 'Cancelling',
  'run.loop_suspected': 'Loop suspected',
  'run.approval_decided': 'Approval decided',
  'run.succeeded': 'Succeeded',
  'run.failed': 'Failed',
  'run.cancelled': 'Cancelled',
  'run.timed_out': 'Timed out',
  'run.abandoned': 'Abandoned',
  'budget.warning': 'Nearly spent',
  'budget.exceeded': 'Spent',
  'quota.exceeded': 'Used up',
  'approval.requested': 'Requested',
  'approval.decided': 'Decided',
  'approval.expired': 'Not decided in time',
} as const satisfies Record<Kind, string>;

export const KINDS = Object.keys(MEANINGS) as Kind[];

export const FAMILIES: readonly { pattern: Family; title: string; kinds: readonly Kind[] }[] = [
  {
    pattern: 'deployment.*',
    title: 'Deployments',
    kinds: KINDS.filter((kind) => kind.startsWith('deployment.')),
  },
  { pattern: 'run.*', title: 'Runs', kinds: KINDS.filter((kind) => kind.startsWith('run.')) },
  { pattern: 'budget.*', title: 'Budgets', kinds: KINDS.filter((kind) => kind.startsWith('budget.')) },
  { pattern: 'quota.*', title: 'Quotas', kinds: KINDS.filter((kind) => kind.startsWith('quota.')) },
  { pattern: 'approval.*', title: 'Approvals', kinds: KINDS.filter((kind) => kind.startsWith('approval.')) },
  { pattern: 'agent.*', title: 'Agents', kinds: KINDS.filter((kind) => kind.startsWith('agent.')) },
];

export const describeKind = (kind: Kind): string => MEANINGS[kind];

/** Adds or removes a pattern; a family replaces its kinds. */
export function togglePattern(chosen: readonly EventPattern[], pattern: EventPattern): EventPattern[] {
  if (chosen.includes(pattern)) return chosen.filter((it) => it !== pattern);
  const family = FAMILIES.find((it) => it.pattern === pattern);
  const kept = chosen.filter((it) => it !== '*' && !family?.kinds.some((kind) => kind === it));
  return [...kept, pattern];
}

/** Summary of patterns: `Everything`, or the patterns in the order of the picker. */
export function summarisePatterns(patterns: readonly EventPattern[]): string[] {
  if (patterns.includes('*')) return ['Everything'];
  const order: readonly string[] = FAMILIES.flatMap(({ pattern, kinds }) => [pattern, ...kinds]);
  return patterns.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
}

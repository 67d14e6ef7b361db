import { EVENT_TYPES, type EventType } from '../lifecycle/deployment-lifecycle.js';
import { RUN_EVENT_TYPES, type RunEventType } from '../lifecycle/run-lifecycle.js';
import { EVERYTHING } from './event-patterns.js';
import type {
  AgentEventData,
  AgentMovedData,
  AgentPausedData,
  AgentStatusChangedData,
  ApprovalEventData,
  BudgetEventData,
  DeploymentEventData,
  QuotaEventData,
  RunEventData,
  WebhookTestData,
} from './event-payloads.js';

/**
 * Every kind of event in webhook messages, with its data. A payload is what its owner may read through the API anyway,
 * without the agent's `config`, which may contain secrets: a receiver is a third party.
 */
export interface EventPayloads
  extends
    Record<`deployment.${EventType}`, DeploymentEventData>,
    Record<`run.${RunEventType}`, RunEventData> {
  'agent.created': AgentEventData;
  'agent.registered': AgentEventData;
  'agent.status_changed': AgentStatusChangedData;
  'agent.moved': AgentMovedData;
  'agent.paused': AgentPausedData;
  'agent.resumed': AgentPausedData;
  'agent.deleted': AgentEventData;
  'budget.warning': BudgetEventData;
  'budget.exceeded': BudgetEventData;
  'quota.exceeded': QuotaEventData;
  'approval.requested': ApprovalEventData;
  'approval.decided': ApprovalEventData;
  'approval.expired': ApprovalEventData;
  'webhook.test': WebhookTestData;
}

export type EventKind = keyof EventPayloads;
/** The payload that the event's feature provides; the outbox adds the link. */
export type EventData<Kind extends EventKind> = Omit<EventPayloads[Kind], 'agent_url' | 'approval_url'>;
export type AnyEventData = { [Kind in EventKind]: EventData<Kind> }[EventKind];
/** Kinds to which a webhook can subscribe; `webhook.test` is sent on demand only. */
export type SubscribableKind = Exclude<EventKind, 'webhook.test'>;

export const TEST_KIND = 'webhook.test' satisfies EventKind;

const AGENT_KINDS = [
  'agent.created',
  'agent.registered',
  'agent.status_changed',
  'agent.moved',
  'agent.paused',
  'agent.resumed',
  'agent.deleted',
] as const satisfies EventKind[];

export const DEPLOYMENT_KINDS = EVENT_TYPES.map((type) => `deployment.${type}` as const);

export const RUN_KINDS = RUN_EVENT_TYPES.map((type) => `run.${type}` as const);

export const BUDGET_KINDS = ['budget.warning', 'budget.exceeded'] as const satisfies EventKind[];

export const APPROVAL_KINDS = [
  'approval.requested',
  'approval.decided',
  'approval.expired',
] as const satisfies EventKind[];

export const SUBSCRIBABLE_KINDS: readonly SubscribableKind[] = [
  ...AGENT_KINDS,
  ...DEPLOYMENT_KINDS,
  ...RUN_KINDS,
  ...BUDGET_KINDS,
  'quota.exceeded',
  ...APPROVAL_KINDS,
];

export const EVENT_KINDS: readonly EventKind[] = [...SUBSCRIBABLE_KINDS, TEST_KIND];

const FAMILIES = ['agent.*', 'deployment.*', 'run.*', 'budget.*', 'quota.*', 'approval.*'] as const;

export const EVENT_PATTERNS: readonly string[] = [EVERYTHING, ...FAMILIES, ...SUBSCRIBABLE_KINDS];

/** The default of a webhook's `events`. */
export const DEFAULT_EVENTS: readonly string[] = [EVERYTHING];

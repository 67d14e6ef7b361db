import type { AgentStatus } from '../lifecycle/agent-lifecycle.js';
import {
  type DeploymentStatus,
  EVENT_TYPES,
  type EventType,
  type StatusSource,
} from '../lifecycle/deployment-lifecycle.js';

/**
 * Every kind of event that webhooks are told of, and what each carries. A payload is what its owner may read through
 * the API anyway, less the agent's `config`, which may well hold secrets: a receiver is a third party.
 */
export interface EventPayloads extends Record<`deployment.${EventType}`, DeploymentEventData> {
  'agent.created': AgentEventData;
  'agent.registered': AgentEventData;
  'agent.status_changed': AgentStatusChangedData;
  'agent.deleted': AgentEventData;
  'webhook.test': WebhookTestData;
}

export type EventKind = keyof EventPayloads;
/** What a webhook can ask for; `webhook.test` is sent on demand only. */
export type SubscribableKind = Exclude<EventKind, 'webhook.test'>;

export interface AgentSnapshot {
  readonly id: string;
  readonly agent_id: string;
  readonly user_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly type: string;
  readonly status: AgentStatus;
  readonly version: string | null;
  readonly hostname: string | null;
  readonly platform: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface AgentEventData {
  readonly agent: AgentSnapshot;
}

export interface AgentStatusChangedData extends AgentEventData {
  readonly previous_status: AgentStatus;
}

export interface DeploymentSnapshot {
  readonly id: string;
  readonly deployment_id: string;
  readonly agent_id: string;
  readonly status: DeploymentStatus;
  readonly status_source: StatusSource;
  readonly replicas: number;
  readonly ready_replicas: number;
  readonly generation: number;
  readonly observed_generation: number | null;
  readonly node_id: string | null;
  readonly error_message: string | null;
  readonly created_at: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly updated_at: string;
}

/** The step as the history has it. */
export interface DeploymentStep {
  readonly id: string;
  readonly deployment_id: string;
  /** Counts from 1 in each deployment, without gaps: receivers put messages in order by it. */
  readonly sequence: number;
  readonly event_type: string;
  readonly status: DeploymentStatus;
  readonly previous_status: DeploymentStatus | null;
  readonly replicas: number;
  readonly actor: string;
  readonly node_id: string | null;
  readonly error_message: string | null;
  readonly created_at: string;
}

export interface DeploymentEventData {
  readonly deployment: DeploymentSnapshot;
  readonly event: DeploymentStep;
}

export interface WebhookTestData {
  readonly webhook_id: string;
  readonly message: string;
}

export const TEST_KIND = 'webhook.test' satisfies EventKind;

const AGENT_KINDS = [
  'agent.created',
  'agent.registered',
  'agent.status_changed',
  'agent.deleted',
] as const satisfies EventKind[];

export const SUBSCRIBABLE_KINDS: readonly SubscribableKind[] = [
  ...AGENT_KINDS,
  ...EVENT_TYPES.map((type) => `deployment.${type}` as const),
];

export const EVENT_KINDS: readonly EventKind[] = [...SUBSCRIBABLE_KINDS, TEST_KIND];

const EVERYTHING = '*';
const FAMILIES = ['agent.*', 'deployment.*'] as const;

/** What a webhook's `events` may hold. */
export const EVENT_PATTERNS: readonly string[] = [EVERYTHING, ...FAMILIES, ...SUBSCRIBABLE_KINDS];

/** What a webhook asks for when it does not say. */
export const DEFAULT_EVENTS: readonly string[] = [EVERYTHING];

/** The patterns of which any one asks for this kind. */
export function patternsFor(kind: SubscribableKind): string[] {
  return [kind, `${kind.slice(0, kind.indexOf('.'))}.*`, EVERYTHING];
}

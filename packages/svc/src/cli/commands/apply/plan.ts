import { isDeepStrictEqual } from 'node:util';
import type { AgentDetail, Deployment } from '@agent-control-plane/client';
import type { WantedAgent } from './manifest.js';

/** Steps that bring an agent to the state of the file. */
export interface AgentPlan {
  readonly wanted: WantedAgent;
  /** The present agent; absent: it will be created. */
  readonly current: AgentDetail | undefined;
  /** The properties that differ. */
  readonly change: AgentChange;
  /** A new deployment, which replaces the active ones. */
  readonly deploys: boolean;
  /** The deployment that stays; absent with a new one, or without any. */
  readonly kept: Deployment | undefined;
  /** The new number of replicas; absent: it stays. */
  readonly scalesTo: number | undefined;
}

export interface AgentChange {
  readonly description?: string;
  readonly type?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** A JSON document, as text. */
  readonly config?: string;
}

const NEW_REPLICAS = 1;

/** A plan in the form of the JSON output. */
export function toPlannedAgent({ wanted, current, change, deploys, scalesTo }: AgentPlan) {
  return {
    agent_id: current?.id ?? null,
    name: wanted.name,
    change,
    deploys,
    scales_to: scalesTo ?? null,
  };
}

/** Compares an agent with its state in the file. Configs that differ only in spacing are equal. Pure. */
export function planOf(wanted: WantedAgent, current: AgentDetail | undefined): AgentPlan {
  const change = changeOf(wanted, current);
  const { replicas } = wanted;
  const active = current?.deployments.find(({ status }) =>
    ['deploying', 'running', 'ready'].includes(status),
  );
  const isCurrent = change.config === undefined && active?.config_version === current?.config_version;
  // A deployment that gets no replicas is scaled, whatever its config.
  const kept = isCurrent || replicas === 0 ? active : undefined;
  const deploys = replicas !== undefined && replicas > 0 && !kept;
  const has = kept?.replicas ?? (deploys ? NEW_REPLICAS : 0);
  return {
    wanted,
    current,
    change,
    deploys,
    kept,
    scalesTo: replicas === undefined || replicas === has ? undefined : replicas,
  };
}

export function changesNothing({ current, change, deploys, scalesTo }: AgentPlan): boolean {
  return current !== undefined && Object.keys(change).length === 0 && !deploys && scalesTo === undefined;
}

function changeOf(wanted: WantedAgent, current: AgentDetail | undefined): AgentChange {
  const { description, type, labels, config } = wanted;
  const differs = (value: unknown, present: unknown) =>
    value !== undefined && !isDeepStrictEqual(value, present);
  const present = current && (JSON.parse(current.config) as unknown);
  return {
    ...(differs(description, current?.description) && { description }),
    ...(differs(type, current?.type) && { type }),
    ...(differs(labels, current?.labels) && { labels }),
    ...(differs(config, present) && { config: JSON.stringify(config) }),
  };
}

import { isDeepStrictEqual } from 'node:util';
import type { AgentDetail, Deployment } from '@agent-control-plane/client';
import { isActive } from '../../active-deployment.js';
import type { WantedAgent } from './manifest.js';

/** Steps that bring an agent to the state of the file. */
export interface AgentPlan {
  readonly wanted: WantedAgent;
  /** The present agent; absent: it will be created. */
  readonly current: AgentDetail | undefined;
  /** The properties that differ, or may. */
  readonly change: AgentChange;
  /** True: only values that the service masks may differ in the config, so only the service can compare them. */
  readonly isUnsure: boolean;
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
  const present = current && (JSON.parse(current.config) as unknown);
  const change = changeOf(wanted, current, present);
  const isUnsure =
    change.config !== undefined && current !== undefined && isSameAsShown(wanted.config, present);
  const { replicas } = wanted;
  const active = current?.deployments.find(isActive);
  const isCurrent =
    (change.config === undefined || isUnsure) && active?.config_version === current?.config_version;
  // A deployment that gets no replicas is scaled, whatever its config.
  const kept = isCurrent || replicas === 0 ? active : undefined;
  const deploys = replicas !== undefined && replicas > 0 && !kept;
  const has = kept?.replicas ?? (deploys ? NEW_REPLICAS : 0);
  return {
    wanted,
    current,
    change,
    isUnsure,
    deploys,
    kept,
    scalesTo: replicas === undefined || replicas === has ? undefined : replicas,
  };
}

export function changesNothing({ current, change, deploys, scalesTo }: AgentPlan): boolean {
  return current !== undefined && Object.keys(change).length === 0 && !deploys && scalesTo === undefined;
}

/** The plan once the service has compared the masked values: what follows from the agent's config version. Pure. */
export function settledPlan(plan: AgentPlan, configVersion: number): AgentPlan {
  if (!plan.isUnsure || !plan.current) return plan;
  const { name, replicas } = plan.wanted;
  const { deploys, kept, scalesTo } = planOf(
    { name, replicas },
    { ...plan.current, config_version: configVersion },
  );
  return { ...plan, deploys, kept, scalesTo };
}

function changeOf(wanted: WantedAgent, current: AgentDetail | undefined, present: unknown): AgentChange {
  const { description, type, labels, config } = wanted;
  const differs = (value: unknown, present: unknown) =>
    value !== undefined && !isDeepStrictEqual(value, present);
  return {
    ...(differs(description, current?.description) && { description }),
    ...(differs(type, current?.type) && { type }),
    ...(differs(labels, current?.labels) && { labels }),
    ...(differs(config, present) && { config: JSON.stringify(config) }),
  };
}

/** Compares configs without the values that the service masks. */
function isSameAsShown(wanted: unknown, present: unknown): boolean {
  if (!hasEnv(wanted) || !hasEnv(present)) return false;
  const env = Object.entries(wanted.env).map(([name, value]) => {
    const shown = Object.hasOwn(present.env, name) ? present.env[name] : undefined;
    return [name, isDeepStrictEqual(shown, { secret: true }) ? shown : value];
  });
  return isDeepStrictEqual({ ...wanted, env: Object.fromEntries(env) as unknown }, present);
}

function hasEnv(config: unknown): config is { readonly env: Readonly<Record<string, unknown>> } {
  return isRecord(config) && isRecord(config.env);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

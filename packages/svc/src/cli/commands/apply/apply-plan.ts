import { type Agent, type Deployment, unwrap } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { waitUntilReady } from '../../waiting.js';
import { type AgentPlan, changesNothing, settledPlan } from './plan.js';

/** Result for an agent of the file. */
export interface AppliedAgent {
  readonly agent_id: string;
  readonly name: string;
  readonly config_version: number;
  /** The new or scaled deployment. */
  readonly deployment_id: string | null;
}

/**
 * Creates, changes, deploys and scales one agent. It waits for a deployment before it scales it, because only a running
 * one can be scaled.
 *
 * @param timeout seconds to wait for a deployment
 * @returns undefined if nothing differed, which only the service could find out
 */
export async function applyPlan(
  context: Context,
  plan: AgentPlan,
  timeout: number,
): Promise<AppliedAgent | undefined> {
  const agent = await record(context, plan);
  const settled = settledPlan(plan, agent.config_version);
  const isSame = plan.isUnsure && agent.config_version === plan.current?.config_version;
  const changes = Object.keys(plan.change).some((name) => name !== 'config');
  if (isSame && !changes && changesNothing({ ...settled, change: {} })) return undefined;
  const deployment = await bring(context, agent.id, settled, timeout);
  return {
    agent_id: agent.id,
    name: agent.name,
    config_version: agent.config_version,
    deployment_id: deployment?.id ?? null,
  };
}

async function record(context: Context, { wanted, current, change }: AgentPlan): Promise<Agent> {
  const { labels, ...others } = change;
  const agent = current ?? (await create(context, { name: wanted.name, ...others }));
  const body = current ? change : { labels };
  if (Object.values(body).every((value) => value === undefined)) return agent;
  const path = { agent_id: agent.id };
  // another person's change since the plan was made must not be lost
  const header = current ? { 'If-Match': `"${current.config_version}"` } : {};
  return unwrap(context.service().PATCH('/agents/{agent_id}', { params: { path, header }, body }));
}

async function create(context: Context, named: { readonly name: string }): Promise<Agent> {
  const body = { ...named, project_id: await context.projectId() };
  return unwrap(context.service().POST('/agents', { body }));
}

async function bring(
  context: Context,
  agentId: string,
  { deploys, kept, scalesTo }: AgentPlan,
  timeout: number,
): Promise<Deployment | undefined> {
  const started = deploys ? await deploy(context, agentId) : kept;
  if (!started || scalesTo === undefined) return deploys ? started : undefined;
  const ready = started.status === 'ready' ? started : await waitUntilReady(context, started, { timeout });
  const path = { deployment_id: ready.id };
  const body = { replicas: scalesTo };
  return unwrap(context.service().POST('/deployments/{deployment_id}/scale', { params: { path }, body }));
}

function deploy(context: Context, agentId: string): Promise<Deployment> {
  const path = { agent_id: agentId };
  const body = { replaces: 'active' as const };
  return unwrap(context.service().POST('/agents/{agent_id}/deploy', { params: { path }, body }));
}

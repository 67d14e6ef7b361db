import type { AgentDetail } from '@agent-control-plane/client';
import { isActive } from '../../components/lifecycle.js';

type WithDeployments = Pick<AgentDetail, 'deployments' | 'config_version'>;

/** The config version that runs: that of the newest active deployment. Null: nothing is meant to run. Pure. */
export const runningVersion = ({ deployments }: WithDeployments): number | null =>
  deployments.find(isActive)?.config_version ?? null;

/** The config version that was deployed before the one that runs, or else the one saved before it; null: there is none. Pure. */
export function versionBefore(agent: WithDeployments): number | null {
  const running = runningVersion(agent);
  if (running === null) return null;
  const newest = agent.deployments.findIndex(isActive);
  const earlier = agent.deployments.slice(newest + 1).find((it) => it.config_version !== running);
  return earlier?.config_version ?? (running > 1 ? running - 1 : null);
}

/** True if the newest config is in no active deployment, though another one is. Pure. */
export function isNewestLeftOut({ deployments, config_version: newest }: WithDeployments): boolean {
  const active = deployments.filter(isActive);
  return active.length > 0 && active.every((it) => it.config_version !== newest);
}

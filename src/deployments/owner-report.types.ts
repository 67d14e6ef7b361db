import type { RuntimeReport } from './runtime-report.types.js';

/** Statuses that a runtime may report about itself in a heartbeat, and `failed`, which means the same as `error`. */
export const REPORTED_AGENT_STATUSES = ['running', 'idle', 'stopped', 'failed', 'error'] as const;
export type ReportedAgentStatus = (typeof REPORTED_AGENT_STATUSES)[number];

/** An owner's report on one of their agents. */
export interface AgentReport {
  readonly status: ReportedAgentStatus;
  /** The machine of the agent or deployment. */
  readonly nodeId?: string;
  readonly errorMessage?: string;
}

/** An owner's report on one of their deployments. */
export interface DeploymentReport extends Pick<RuntimeReport, 'status' | 'nodeId' | 'errorMessage'> {
  /** Name of the event, chosen by the owner. */
  readonly event: string;
}

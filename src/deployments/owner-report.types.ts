import type { RuntimeReport } from './runtime-report.types.js';

/** What a runtime may say of itself in a heartbeat, and `failed`, which says the same as `error`. */
export const REPORTED_AGENT_STATUSES = ['running', 'idle', 'stopped', 'failed', 'error'] as const;
export type ReportedAgentStatus = (typeof REPORTED_AGENT_STATUSES)[number];

/** What an owner tells of one of their agents. */
export interface AgentReport {
  readonly status: ReportedAgentStatus;
  /** Where it runs. */
  readonly nodeId?: string;
  readonly errorMessage?: string;
}

/** What an owner tells of one of their deployments. */
export interface DeploymentReport extends Pick<RuntimeReport, 'status' | 'nodeId' | 'errorMessage'> {
  /** What happened, in the owner's own word. */
  readonly event: string;
}

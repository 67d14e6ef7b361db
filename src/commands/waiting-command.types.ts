import type { CommandAction } from '../lifecycle/deployment-lifecycle.js';

/** Age from which an unanswered command counts as waiting; seconds. */
export const WAITING_SECONDS = 60;

/** A command without an answer. */
export interface WaitingCommand {
  readonly id: string;
  readonly action: CommandAction;
  readonly agentId: string;
  readonly agentName: string;
  readonly deploymentId: string;
  readonly createdAt: string;
}

export interface WaitingCommands {
  readonly total: number;
  readonly oldest: readonly WaitingCommand[];
}

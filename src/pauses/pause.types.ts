import type { Actor } from '../access/principal.js';
import type { PausedBy, RunsOfPause } from '../lifecycle/deployment-pause.js';
import type { PauseEntity } from './pause.entity.js';

/** A pause with its agent's name, and the numbers of its agents as they are now. */
export interface Pause extends Readonly<PauseEntity> {
  /** Name of the agent that it was created for; null: there is none, or another project has the agent now. */
  readonly agentName: string | null;
  /** Agents that it holds. */
  readonly holding: number;
  /** The agents among them whose runtimes have acknowledged that nothing runs. */
  readonly confirmed: number;
}

/** The properties of a pause that a person gives. */
export interface PauseTerms {
  readonly reason: string | null;
  readonly runs: RunsOfPause;
}

/** The agents that a pause of many holds: those of a project that match. */
export interface PauseSelector {
  readonly projectId?: string;
  /** As `key:value`. */
  readonly label: string | null;
  readonly type: string | null;
}

/** Agents that have exceeded a budget. */
export interface BudgetPause extends PauseTerms {
  readonly budgetId: string;
  readonly projectId: string;
  readonly agentIds: readonly string[];
}

/** A row of `agent_pauses` with what its pause says. */
export interface HeldAgent {
  readonly agentId: string;
  readonly appliedAt: string | null;
  readonly pauseId: string;
  readonly projectId: string;
  readonly by: PausedBy;
  readonly reason: string | null;
  readonly runs: RunsOfPause;
  readonly actor: Actor;
  readonly endedAt: string | null;
  readonly endedBy: Actor | null;
}

export interface PauseFilter {
  readonly projectIds: readonly string[];
  readonly agentId?: string;
  readonly isOpen?: boolean;
}

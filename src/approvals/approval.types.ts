import type { PageRequest } from '../database/page.js';
import type { ActorNames } from '../http/actor-names.js';
import type { ApprovalDecision, ApprovalState } from '../lifecycle/approval-lifecycle.js';

/** From the lowest to the highest. */
export const RISKS = ['low', 'medium', 'high'] as const;
export type Risk = (typeof RISKS)[number];

/** Maximum size of arguments, as JSON in the form of the database; bytes. */
export const MAXIMUM_ARGS_BYTES = 32 * 1024;
/** Maximum number of questions of one agent that nobody has decided. */
export const MAXIMUM_PENDING = 100;
/** Maximum number of questions of one agent in an hour: one that withdraws them all could fill the disk, and webhooks. */
export const MAXIMUM_HOURLY = 1_000;
/** Maximum number of questions that a registration lists, the newest ones. */
export const MAXIMUM_LISTED = 100;

/** A question of an agent. */
export interface Question {
  readonly approvalKey: string;
  readonly runId: string | null;
  readonly title: string;
  readonly description: string | null;
  readonly actionName: string;
  readonly args: unknown;
  readonly risk: Risk;
  readonly allowedDecisions: readonly ApprovalDecision[];
  readonly expiresInSeconds: number;
}

/** A person's decision. */
export interface Verdict {
  readonly decision: ApprovalDecision;
  /** The hash of the arguments that the person saw: others may have come since, and must not be approved. */
  readonly argsSha256: string;
  readonly reason: string | null;
  /** Undefined: the decision is no edit. */
  readonly editedArgs: unknown;
  /** Null: the decision is no response. */
  readonly response: string | null;
}

export interface ApprovalFilter {
  readonly projectIds: readonly string[];
  readonly state?: ApprovalState;
  readonly agentId?: string;
  readonly runId?: string;
  readonly risk?: Risk;
  readonly idPrefix?: string;
}

/** An agent whose questions wait, how many, and since when the oldest. */
export interface AskingAgent {
  readonly agentId: string;
  readonly agentName: string;
  readonly count: number;
  readonly at: string;
}

/** The part of a list of approvals that begins after one of them. */
export interface ApprovalPageRequest extends PageRequest {
  /** The state in which that one was listed. */
  readonly beforeState?: ApprovalState;
}

/** Facts about an approval that depend on its reader, and are not stored with it. */
export interface ReaderFacts {
  readonly firstApprover: ActorNames;
  readonly decider: ActorNames;
  /** True: the run that waits for it was made at the reader's request, so that they can't be one of two who approve it. */
  readonly isAskedByReader: boolean;
}

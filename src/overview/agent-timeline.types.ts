import type { ActorNames } from '../http/actor-names.js';

export const TIMELINE_KINDS = ['deployment', 'run', 'approval', 'config', 'budget'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** A part of an agent's timeline. */
export interface TimelineRange {
  /** Entries before this time. Absent: the newest ones. */
  readonly until?: Date;
  readonly limit: number;
}

/** Something that happened to an agent. What its kind does not have is null. */
export interface TimelineEntry {
  readonly at: string;
  readonly endedAt: string | null;
  readonly kind: TimelineKind;
  /** Id of the deployment, the run, the approval or the budget. */
  readonly id: string | null;
  readonly event: string;
  readonly title: string | null;
  readonly message: string | null;
  readonly actor: string | null;
  readonly configVersion: number | null;
  readonly replicas: number | null;
}

/** An entry with the names of its actor. */
export type NamedEntry = TimelineEntry & ActorNames;

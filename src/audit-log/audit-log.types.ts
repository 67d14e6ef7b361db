import type { AgentPrincipal, UserPrincipal } from '../access/principal.js';
import type { RequestOrigin } from '../access/request-origin.js';
import type { ActorNames } from '../http/actor-names.js';
import type { AuditAction, AuditOutcome, AuditTargetType } from './audit-actions.js';
import type { AuditEntryEntity } from './audit-entry.entity.js';

/** The acting party: a person or their key, an agent, an unknown caller, or the service itself. */
export type AuditedParty =
  | Pick<UserPrincipal, 'kind' | 'userId' | 'credential' | 'keyId' | 'origin'>
  | (AgentPrincipal & { readonly origin: RequestOrigin })
  | { readonly kind: 'anonymous'; readonly origin: RequestOrigin }
  | { readonly kind: 'service' };

export interface AuditTarget {
  readonly type: AuditTargetType;
  /** Null: unknown, or a route. */
  readonly id: string | null;
  /** The project that owns the target, whose owners see the entry: for an account, its personal one; null: none. */
  readonly projectId: string | null;
  /** The agent to which the target belongs, by which the entry is found, too; absent or null: none. */
  readonly agentId?: string | null;
}

/** Facts about an action. They never contain a secret, nor text that may contain one, such as the URL of a webhook. */
export type AuditDetails = AuditEntryEntity['details'];

export interface AuditedAct {
  readonly party: AuditedParty;
  readonly action: AuditAction;
  readonly target: AuditTarget;
  readonly details: AuditDetails;
}

/** An entry with the account that acted. */
export type StoredAuditEntry = Readonly<Omit<AuditEntryEntity, 'salt' | 'erasedHash'>>;

export type AuditEntry = Omit<StoredAuditEntry, 'userId'>;

/** An entry with the names of its actor and of its target. */
export interface NamedAuditEntry extends AuditEntry, ActorNames {
  readonly targetName: string | null;
}

export interface AuditFilter {
  readonly actor?: string;
  readonly action?: AuditAction;
  readonly targetId?: string;
  /** The agent that is the target, or to which the target belongs. */
  readonly agentId?: string;
  readonly outcome?: AuditOutcome;
  readonly projectId?: string;
  readonly since?: Date;
  /** Exclusive. */
  readonly until?: Date;
}

export interface AuditReader extends Pick<UserPrincipal, 'userId' | 'isAdmin'> {
  /** The reader as an actor, if it is a project's key; null: the reader's own entries are those of the account. */
  readonly keyActor: string | null;
  /** The projects of which the reader is an owner, who sees all of their entries. */
  readonly projectIds: readonly string[];
  /** The projects whose agents and people have names for the reader: those of which the reader is a member. */
  readonly memberOf: readonly string[];
}

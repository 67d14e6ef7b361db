import type { AgentPrincipal, UserPrincipal } from '../access/principal.js';
import type { RequestOrigin } from '../access/request-origin.js';
import type { AuditAction, AuditOutcome, AuditTargetType } from './audit-actions.js';
import type { AuditEntryEntity } from './audit-entry.entity.js';

/** The acting party: a person or their key, an agent, an unknown caller, or the service itself. */
export type AuditedParty =
  | Pick<UserPrincipal, 'kind' | 'userId' | 'keyId' | 'origin'>
  | (AgentPrincipal & { readonly origin: RequestOrigin })
  | { readonly kind: 'anonymous'; readonly origin: RequestOrigin }
  | { readonly kind: 'service' };

export interface AuditTarget {
  readonly type: AuditTargetType;
  /** Null: unknown, or a route. */
  readonly id: string | null;
  /** The account that owns the target and sees the entry; null: none. */
  readonly ownerId: string | null;
}

/** Facts about an action. They never contain a secret, nor text that may contain one, such as the URL of a webhook. */
export type AuditDetails = AuditEntryEntity['details'];

export interface AuditedAct {
  readonly party: AuditedParty;
  readonly action: AuditAction;
  readonly target: AuditTarget;
  readonly details: AuditDetails;
}

/** An entry with the accounts that may read it. */
export type StoredAuditEntry = Readonly<AuditEntryEntity>;

export type AuditEntry = Omit<StoredAuditEntry, 'userId' | 'ownerId'>;

export interface AuditFilter {
  readonly actor?: string;
  readonly action?: AuditAction;
  readonly targetId?: string;
  readonly outcome?: AuditOutcome;
  readonly since?: Date;
  /** Exclusive. */
  readonly until?: Date;
}

export type AuditReader = Pick<UserPrincipal, 'userId' | 'isAdmin'>;

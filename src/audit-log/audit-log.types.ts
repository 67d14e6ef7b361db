import type { AgentPrincipal, UserPrincipal } from '../access/principal.js';
import type { RequestOrigin } from '../access/request-origin.js';
import type { AuditAction, AuditOutcome, AuditTargetType } from './audit-actions.js';

/** The party that acts: a person or their key, an agent, nobody known, or the service by itself. */
export type AuditedParty =
  | Pick<UserPrincipal, 'kind' | 'userId' | 'keyId' | 'origin'>
  | (AgentPrincipal & { readonly origin: RequestOrigin })
  | { readonly kind: 'anonymous'; readonly origin: RequestOrigin }
  | { readonly kind: 'service' };

export interface AuditTarget {
  readonly type: AuditTargetType;
  /** Null: unknown, or a route. */
  readonly id: string | null;
  /** The account that the target belongs to, whose owner sees the entry; null: none. */
  readonly ownerId: string | null;
}

/** Facts about an act. Never a secret, nor text that may hold one, such as the URL of a webhook. */
export type AuditDetails = Readonly<Record<string, unknown>>;

export interface AuditedAct {
  readonly party: AuditedParty;
  readonly action: AuditAction;
  readonly target: AuditTarget;
  readonly details: AuditDetails;
}

export interface AuditEntry {
  /** A UUID of version 7; its time is `at`. */
  readonly id: string;
  readonly at: string;
  /** `user:<id>`, `api_key:<id>`, `agent:<id>`, `anonymous` or `service`. */
  readonly actor: string;
  readonly action: AuditAction;
  readonly targetType: AuditTargetType;
  readonly targetId: string | null;
  readonly outcome: AuditOutcome;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly details: AuditDetails;
}

/** An entry with the accounts that may read it. */
export interface StoredAuditEntry extends AuditEntry {
  /** The account that acted. */
  readonly userId: string | null;
  /** The account that the target belongs to. */
  readonly ownerId: string | null;
}

export interface AuditFilter {
  readonly actor?: string;
  readonly action?: AuditAction;
  readonly targetId?: string;
  readonly outcome?: AuditOutcome;
  readonly since?: Date;
  /** Exclusive. */
  readonly until?: Date;
}

/** The reader of the log. */
export type AuditReader = Pick<UserPrincipal, 'userId' | 'isAdmin'>;

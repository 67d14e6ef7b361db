import type { Scope } from '../access/scopes.js';
import type { ApiKeyKind } from './api-key-format.js';
import type { ApiKeyEntity } from './api-key.entity.js';

/** A key as the API returns it, without its secret. */
export interface ApiKey extends Readonly<Omit<ApiKeyEntity, 'secretHash' | 'revokedAt' | 'scopes'>> {
  readonly scopes: readonly Scope[];
  /** Neither revoked nor expired. */
  readonly isActive: boolean;
}

export interface ApiKeyFilter {
  /** The owner of the keys, and of their agents. */
  readonly userId: string;
  readonly agentId?: string;
  readonly kind?: ApiKeyKind;
}

export interface ApiKeyOrder {
  readonly userId: string;
  /** Null: a key of the user. */
  readonly agentId: string | null;
  readonly name: string;
  /** Absent: all scopes for a key of the user, none for an agent's. */
  readonly scopes?: readonly Scope[];
  /** Absent: the key does not expire. */
  readonly expiresAt?: string;
}

export interface ApiKeyRequest {
  readonly name: string;
  /** Absent: a key of the user. */
  readonly agentId?: string | null;
  /** Absent: all scopes, for a key of the user. */
  readonly scopes?: readonly Scope[];
  /** Absent: the key does not expire. */
  readonly expiresInDays?: number | null;
}

export interface IssuedApiKey {
  readonly record: ApiKey;
  /** The whole key, which the API returns only in this reply: only a hash of its secret is stored. */
  readonly key: string;
}

/** The holder of a key. The caller has to check whether the user is active. */
export type ApiKeyHolder =
  | {
      readonly kind: 'user';
      readonly userId: string;
      readonly keyId: string;
      readonly scopes: readonly Scope[];
    }
  | { readonly kind: 'agent'; readonly agentId: string; readonly userId: string };

import type { Role } from '../access/roles.js';
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
  /** The projects that own the keys and their agents. */
  readonly projectIds: readonly string[];
  readonly agentId?: string;
  readonly kind?: ApiKeyKind;
}

export interface ApiKeyOrder {
  /** The project that owns the key or its agent; for a person's own key, the personal one. */
  readonly projectId: string;
  /** The account or the project's key that asked for it. */
  readonly createdBy: string;
  /** The role of a project's own key; absent: none. */
  readonly role?: Role | null;
  /** Null: a key of a person or of a project. */
  readonly agentId: string | null;
  readonly name: string;
  /** Absent: all scopes for a key of the user, none for an agent's. */
  readonly scopes?: readonly Scope[];
  /** True: an operator's key that also reaches other people's resources. */
  readonly everybody?: boolean;
  /** Absent: the key does not expire. */
  readonly expiresAt?: string;
}

export interface ApiKeyRequest {
  readonly name: string;
  /** Absent: a key of the caller or of a project. */
  readonly agentId?: string | null;
  /** Absent: a key of the caller, for all their projects. */
  readonly projectId?: string;
  /** The role of a project's key; absent: `deployer`. */
  readonly role?: Role;
  /** Absent: all scopes, for a key of the user. */
  readonly scopes?: readonly Scope[];
  /** True: a key of the caller, an operator, that also reaches other people's resources. */
  readonly everybody?: boolean;
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
      readonly credential: 'api_key';
      readonly sessionId: null;
      readonly keyId: string;
      readonly scopes: readonly Scope[];
      /** Whether the key may do what only operators may, if its user is one. */
      readonly everybody: boolean;
    }
  | ProjectKeyHolder
  | { readonly kind: 'agent'; readonly agentId: string; readonly projectId: string };

/** A project whose own key calls. */
export interface ProjectKeyHolder {
  readonly kind: 'project';
  readonly projectId: string;
  readonly role: Role;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
}

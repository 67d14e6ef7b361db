import { hash, timingSafeEqual } from 'node:crypto';
import type { ApiKeyKind, ParsedApiKey } from './api-key-format.js';
import type { ApiKeyHolder } from './api-key.types.js';
import type { StoredApiKey } from './api-keys.repository.js';

/** Maximum time for which an unknown identifier, or a key that is not in force, is cached. */
const REFUSED_TTL_MS = 5_000;

/** The record of a key as an instance remembers it. */
export interface KnownApiKey extends StoredApiKey {
  /** End of the key, in the process's monotonic time (`performance.now()`), which no change of the clock affects. */
  readonly goodUntil: number;
}

/** First check: the key's form is right, its record exists, and its secret is the record's. */
export function isReal(parsed: ParsedApiKey, record: KnownApiKey | null | undefined): record is KnownApiKey {
  if (!record || kindOfRecord(record) !== parsed.kind) return false;
  return timingSafeEqual(hashOf(parsed.secret), record.secretHash);
}

/** Second check: the key is in force. Repeated for each request, because a cached record gets old. */
export function isInForce(record: KnownApiKey): boolean {
  return performance.now() < record.goodUntil;
}

export function rememberFor(record: KnownApiKey | null): number {
  return record && isInForce(record) ? record.goodUntil - performance.now() : REFUSED_TTL_MS;
}

export function holderOf({
  id: keyId,
  agentId,
  projectId,
  role,
  scopes,
  everybody,
}: StoredApiKey): ApiKeyHolder {
  if (agentId !== null) return { kind: 'agent', agentId, projectId };
  if (role !== null) return { kind: 'project', projectId, role, keyId, scopes };
  return {
    kind: 'user',
    userId: projectId,
    credential: 'api_key',
    sessionId: null,
    keyId,
    scopes,
    everybody,
  };
}

export function hashOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

function kindOfRecord(record: StoredApiKey): ApiKeyKind {
  return record.agentId === null ? 'user' : 'agent';
}

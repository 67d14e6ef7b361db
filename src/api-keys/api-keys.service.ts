import { hash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { reachOf, type UserPrincipal } from '../access/principal.js';
import { ALL_SCOPES } from '../access/scopes.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import type { AuditDetails } from '../audit-log/audit-log.types.js';
import { BatchedRead } from '../database/batched-read.js';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import { RevocableCache } from '../database/revocable-cache.js';
import type { Transaction } from '../database/transaction.js';
import { newId } from '../database/new-id.js';
import { ConflictError, InvalidError, NotFoundError } from '../errors/domain-error.js';
import { ListReads } from '../http/list-reads.js';
import {
  type ApiKeyKind,
  generateKey,
  kindOfKey,
  type ParsedApiKey,
  parseKey,
  visiblePrefix,
} from './api-key-format.js';
import { ApiKeyUsage } from './api-key-usage.js';
import type {
  ApiKey,
  ApiKeyFilter,
  ApiKeyHolder,
  ApiKeyOrder,
  ApiKeyRequest,
  IssuedApiKey,
} from './api-key.types.js';
import { ApiKeysRepository, type StoredApiKey } from './api-keys.repository.js';

/** Maximum time for which a key's record is cached; a revocation still takes effect within a second. */
const RECORD_TTL_MS = 10 * 60_000;
/** Maximum time for which an unknown identifier, or a key that is not in force, is cached. */
const REFUSED_TTL_MS = 5_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

interface KnownApiKey extends StoredApiKey {
  /** End of the key, in the process's monotonic time (`performance.now()`), which no change of the clock affects. */
  readonly goodUntil: number;
}

@Injectable()
export class ApiKeysService {
  private readonly records: RevocableCache<KnownApiKey | null>;
  /**
   * Batched look-ups: a returning fleet presents all its keys at once, and concurrent look-ups share a query. Agents'
   * keys use the runtimes' pool, users' keys the people's.
   */
  private readonly lookups: Readonly<Record<ApiKeyKind, BatchedRead<string, StoredApiKey | null>>>;

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly usage: ApiKeyUsage,
    private readonly database: Database,
    private readonly lists: ListReads,
    private readonly auditLog: AuditLogService,
  ) {
    this.records = new RevocableCache(database, 'api_key', RECORD_TTL_MS, 'proven');
    this.lookups = {
      agent: new BatchedRead('agent keys', (ids) => keys.findStored(database.runtimes.manager, ids)),
      user: new BatchedRead('user keys', (ids) => keys.findStored(database.people.manager, ids)),
    };
  }

  /** Creates a key. The caller has checked the right to one for this user or agent. */
  async issue(tx: Transaction, order: ApiKeyOrder): Promise<IssuedApiKey> {
    const { userId, agentId, name, expiresAt = null } = order;
    const scopes = order.scopes ?? (agentId === null ? [ALL_SCOPES] : []);
    const id = newId();
    const kind: ApiKeyKind = agentId === null ? 'user' : 'agent';
    const { key, secret } = generateKey(kind, id);
    const keyPrefix = visiblePrefix(kind, id);
    const record = await this.keys.insert(tx, {
      ...{ id, userId, agentId, name, keyPrefix, scopes, expiresAt },
      secretHash: hashOf(secret),
    });
    return { record, key };
  }

  /**
   * Creates a key for its owner.
   *
   * @throws InvalidError if a key of an agent would have scopes
   * @throws NotFoundError if the user has no such agent
   * @throws ConflictError if the user, or the agent, has `MAX_API_KEYS_PER_USER` active keys already
   */
  async create(tx: Transaction, caller: UserPrincipal, request: ApiKeyRequest): Promise<IssuedApiKey> {
    const { userId } = caller;
    const { name, agentId = null, scopes } = request;
    if (agentId !== null && scopes) {
      throw InvalidError.of('scopes', 'not_allowed', 'scopes must not be given for a key of an agent');
    }
    if (!(await this.keys.hasRoom(tx, userId, agentId))) {
      const holder = agentId === null ? 'A user' : 'An agent';
      throw new ConflictError(
        'limit_reached',
        `${holder} can have ${this.keys.maximum} API keys at most: revoke one first`,
      );
    }
    const lifetimeMs = request.expiresInDays ? request.expiresInDays * DAY_MS : null;
    if (agentId !== null && !(await this.keys.holdAgent(tx, userId, agentId))) {
      throw new NotFoundError('Agent');
    }
    const issued = await this.issue(tx, { userId, agentId, name, scopes, expiresAt: endOf(lifetimeMs) });
    await this.auditLog.write(
      tx,
      caller,
      'api_key.create',
      targetOf('api_key', issued.record),
      factsOf(issued.record),
    );
    return issued;
  }

  list(filter: ApiKeyFilter, request: PageRequest): Promise<Page<ApiKey>> {
    return this.lists.page(filter.userId, request, false, (connection) =>
      this.keys.list(connection, filter, request),
    );
  }

  /**
   * Revokes a key, on every instance within a second. The record stays for `KEY_RETENTION_DAYS`; a repetition changes
   * nothing. An operator may revoke any user's key.
   *
   * @throws NotFoundError
   */
  async revoke(caller: UserPrincipal, id: string): Promise<void> {
    await this.database.people.transaction(async (tx) => {
      const reach = reachOf(caller);
      const userId = await (reach.kind === 'owner'
        ? this.keys.revokeOwned(tx, reach.ownerId, id, 0)
        : this.keys.revoke(tx, id));
      if (userId === null) throw new NotFoundError('API key');
      await this.records.revoke(tx, [id]);
      await this.auditLog.write(tx, caller, 'api_key.revoke', targetOf('api_key', { id, userId }));
    }, caller.userId);
  }

  /**
   * Replaces a key by one of the same name, for the same holder and with the same lifetime, if any. Of concurrent
   * rotations of one key, one succeeds.
   *
   * @param graceSeconds time for which the old key may still be used
   * @throws NotFoundError
   * @throws ConflictError if it has been revoked, rotated before, or has expired
   */
  async rotate(
    tx: Transaction,
    caller: UserPrincipal,
    id: string,
    graceSeconds: number,
  ): Promise<IssuedApiKey> {
    const { userId } = caller;
    const old = await this.keys.lockOwned(tx, userId, id);
    if (!old) throw new NotFoundError('API key');
    if (!old.isReplaceable) {
      throw new ConflictError(
        'key_not_rotatable',
        'An API key that was revoked or rotated, or has expired, can not be rotated',
      );
    }
    await this.keys.revokeOwned(tx, userId, id, graceSeconds);
    await this.records.revoke(tx, [id]);
    const { agentId, name, scopes } = old;
    const issued = await this.issue(tx, { userId, agentId, name, scopes, expiresAt: endOf(old.lifetimeMs) });
    await this.auditLog.write(tx, caller, 'api_key.rotate', targetOf('api_key', { id, userId }), {
      ...factsOf(issued.record),
      replaced_by: issued.record.id,
      grace_period_seconds: graceSeconds,
    });
    return issued;
  }

  /** Kind of a credential by its first characters; null if it is no API key. */
  kindOf(credential: string): ApiKeyKind | null {
    return kindOfKey(credential);
  }

  /** The holder of a key; null if the key is invalid or not in force. */
  async authenticate(rawKey: string): Promise<ApiKeyHolder | null> {
    const parsed = parseKey(rawKey);
    if (!parsed) return null;
    const record = await this.records.get(parsed.id, () => this.read(parsed), rememberFor);
    if (!isReal(parsed, record) || !isInForce(record)) return null;
    this.usage.record(record.id);
    return holderOf(record);
  }

  /**
   * The key's holder, from the cache only: there is no query, so the call needs no slot. Records no use of the key.
   *
   * @returns null if the key is not cached, or if {@link authenticate} would return null
   */
  knownHolder(rawKey: string): ApiKeyHolder | null {
    const parsed = parseKey(rawKey);
    const record = parsed && this.records.peek(parsed.id);
    return parsed && isReal(parsed, record) && isInForce(record) ? holderOf(record) : null;
  }

  /** Revokes the keys of a user, not those of their agents. @returns the number of revoked keys */
  async revokeUserKeys(tx: Transaction, userId: string): Promise<number> {
    const ids = await this.keys.revokeUserKeys(tx, userId);
    await this.records.revoke(tx, ids);
    return ids.length;
  }

  /** Deletes the keys of an agent that is being deleted; they stop working on every instance within a second. */
  async deleteForAgent(tx: Transaction, agentId: string): Promise<void> {
    await this.records.revoke(tx, await this.keys.deleteForAgent(tx, agentId));
  }

  private async read({ kind, id }: ParsedApiKey): Promise<KnownApiKey | null> {
    const askedAt = performance.now();
    const stored = await this.lookups[kind].read(id);
    return stored && { ...stored, goodUntil: askedAt + (stored.remainingMs ?? Infinity) };
  }
}

/** First check: the key's form is right, its record exists, and its secret is the record's. */
function isReal(parsed: ParsedApiKey, record: KnownApiKey | null | undefined): record is KnownApiKey {
  if (!record || kindOfRecord(record) !== parsed.kind) return false;
  return timingSafeEqual(hashOf(parsed.secret), record.secretHash);
}

/** Second check: the key is in force. Repeated for each request, because a cached record gets old. */
function isInForce(record: KnownApiKey): boolean {
  return performance.now() < record.goodUntil;
}

function rememberFor(record: KnownApiKey | null): number {
  return record && isInForce(record) ? record.goodUntil - performance.now() : REFUSED_TTL_MS;
}

function kindOfRecord(record: StoredApiKey): ApiKeyKind {
  return record.agentId === null ? 'user' : 'agent';
}

function holderOf({ id, agentId, userId, scopes }: StoredApiKey): ApiKeyHolder {
  return agentId === null ? { kind: 'user', userId, keyId: id, scopes } : { kind: 'agent', agentId, userId };
}

function factsOf({ name, agentId, scopes, expiresAt }: ApiKey): AuditDetails {
  return { name, agent_id: agentId, scopes, expires_at: expiresAt };
}

function hashOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

function endOf(lifetimeMs: number | null): string | undefined {
  return lifetimeMs === null ? undefined : new Date(Date.now() + lifetimeMs).toISOString();
}

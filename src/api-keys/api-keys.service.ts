import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Database } from '../database/database.js';
import { RevocableCache } from '../database/revocable-cache.js';
import type { Transaction } from '../database/transaction.types.js';
import { Transactor } from '../database/transactor.js';
import { type ApiKeyKind, generateKey, kindOfKey, parseKey, visiblePrefix } from './api-key-format.js';
import { ApiKeyUsage } from './api-key-usage.js';
import type { ApiKeyHolder, ApiKeyOrder, IssuedApiKey } from './api-key.types.js';
import { ApiKeysRepository, type StoredApiKey } from './api-keys.repository.js';

/** How long a key's record is remembered at most; a revocation is felt within a second all the same. */
const RECORD_TTL_MS = 60_000;
/** The same for an identifier that is unknown, and for a key that is no longer in force. */
const REFUSED_TTL_MS = 5_000;

@Injectable()
export class ApiKeysService {
  private readonly records: RevocableCache<StoredApiKey | null>;

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly usage: ApiKeyUsage,
    database: Database,
    transactor: Transactor,
  ) {
    this.records = new RevocableCache(database, transactor, 'api_key', RECORD_TTL_MS);
  }

  /** Makes a key. Who may have one for this user or agent is for the caller to know. */
  async issue(tx: Transaction, order: ApiKeyOrder): Promise<IssuedApiKey> {
    const { userId, agentId, name, expiresAt = null } = order;
    const id = uuidv7();
    const kind: ApiKeyKind = agentId === null ? 'user' : 'agent';
    const { key, secret } = generateKey(kind, id);
    const keyPrefix = visiblePrefix(kind, id);
    const record = await this.keys.insert(tx, {
      ...{ id, userId, agentId, name, keyPrefix, expiresAt },
      secretHash: hashOf(secret),
    });
    return { record, key };
  }

  /** What a credential claims to be, by its first characters; null: no API key at all. */
  kindOf(credential: string): ApiKeyKind | null {
    return kindOfKey(credential);
  }

  /** Whom the key stands for; null when it is not real or not in force. */
  async authenticate(rawKey: string): Promise<ApiKeyHolder | null> {
    const record = await this.findReal(rawKey);
    if (!record || !isInForce(record, Date.now())) return null;
    this.usage.note(record.id);
    return holderOf(record);
  }

  /** Deletes the keys of an agent that is being deleted; they stop working on every instance within a second. */
  async deleteForAgent(tx: Transaction, agentId: string): Promise<void> {
    await this.records.revoke(tx, await this.keys.deleteForAgent(tx, agentId));
  }

  /** Step one: this key is real. Its form is right, its record exists, and its secret is the record's. */
  private async findReal(rawKey: string): Promise<StoredApiKey | null> {
    const parsed = parseKey(rawKey);
    if (!parsed) return null;
    const record = await this.records.get(
      parsed.id,
      () => this.keys.findStored(parsed.id),
      (found) => rememberFor(found, Date.now()),
    );
    if (!record || kindOfRecord(record) !== parsed.kind) return null;
    return timingSafeEqual(hashOf(parsed.secret), record.secretHash) ? record : null;
  }
}

/** Step two: it is in force. Asked for each request, because what is remembered grows old. */
function isInForce(record: StoredApiKey, now: number): boolean {
  return record.revokedAt === null && (record.expiresAt === null || record.expiresAt.getTime() > now);
}

function rememberFor(record: StoredApiKey | null, now: number): number {
  if (!record || !isInForce(record, now)) return REFUSED_TTL_MS;
  return record.expiresAt ? record.expiresAt.getTime() - now : RECORD_TTL_MS;
}

function kindOfRecord(record: StoredApiKey): ApiKeyKind {
  return record.agentId === null ? 'user' : 'agent';
}

function holderOf({ agentId, userId }: StoredApiKey): ApiKeyHolder {
  return agentId === null ? { kind: 'user', userId } : { kind: 'agent', agentId, userId };
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

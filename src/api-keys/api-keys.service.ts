import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../access/request-origin.js';
import { ownReachOf, projectIdsOf, reachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { isAtLeast, type Role } from '../access/roles.js';
import { ALL_SCOPES } from '../access/scopes.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import { RecentCalls } from '../audit-log/recent-calls.js';
import type { AuditDetails } from '../audit-log/audit-log.types.js';
import { GroupCommit } from '../database/group-commit.js';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import { RevocableCache } from '../database/revocable-cache.js';
import type { Transaction } from '../database/transaction.js';
import { newId } from '../database/new-id.js';
import { ConflictError, ForbiddenError, InvalidError, NotFoundError } from '../errors/domain-error.js';
import { ListReads } from '../http/list-reads.js';
import { projectFor, reached } from '../http/required-role.js';
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
import { ApiKeysRepository, type KeysHolder, type StoredApiKey } from './api-keys.repository.js';
import { hashOf, holderOf, isInForce, isReal, type KnownApiKey, rememberFor } from './known-api-key.js';

/** Maximum time for which a key's record is cached; a revocation still takes effect within a second. */
const RECORD_TTL_MS = 10 * 60_000;
const TRIED_MS = 60 * 60_000;
const ENDED = 'The key was revoked, or has expired';
const DAY_MS = 24 * 60 * 60 * 1_000;

@Injectable()
export class ApiKeysService {
  private readonly records: RevocableCache<KnownApiKey | null>;
  private readonly tried = new RecentCalls(TRIED_MS);
  /**
   * Batched look-ups: a returning fleet presents all its keys at once, and concurrent look-ups share a query. Agents'
   * keys use the runtimes' pool, users' keys the people's.
   */
  private readonly lookups: Readonly<Record<ApiKeyKind, GroupCommit<string, StoredApiKey | null>>>;

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly usage: ApiKeyUsage,
    private readonly database: Database,
    private readonly lists: ListReads,
    private readonly auditLog: AuditLogService,
  ) {
    this.records = new RevocableCache(database, 'api_key', RECORD_TTL_MS, 'proven');
    this.lookups = {
      agent: new GroupCommit('agent keys', (ids) => keys.findStored(database.runtimes.manager, ids)),
      user: new GroupCommit('user keys', (ids) => keys.findStored(database.people.manager, ids)),
    };
  }

  /** Creates a key. The caller has checked the right to one for this person, project or agent. */
  async issue(tx: Transaction, order: ApiKeyOrder): Promise<IssuedApiKey> {
    const { projectId, createdBy, agentId, name, role = null, everybody = false, expiresAt = null } = order;
    const scopes = order.scopes ?? (agentId === null ? [ALL_SCOPES] : []);
    const id = newId();
    const kind: ApiKeyKind = agentId === null ? 'user' : 'agent';
    const { key, secret } = generateKey(kind, id);
    const keyPrefix = visiblePrefix(kind, id);
    const record = await this.keys.insert(tx, {
      ...{ id, projectId, createdBy, role, agentId, name, keyPrefix, scopes, everybody, expiresAt },
      secretHash: hashOf(secret),
    });
    return { record, key };
  }

  /**
   * Creates a key of the caller, of a project, or of an agent.
   *
   * @throws InvalidError if a key of an agent would have scopes, or a key of a project a role above its maker's
   * @throws NotFoundError if the caller sees no such agent or project
   * @throws ForbiddenError if the caller's role does not allow it, or only operators may have the key
   * @throws ConflictError if the project, or the agent, has `MAX_API_KEYS_PER_PROJECT` active keys already
   */
  async create(tx: Transaction, caller: UserPrincipal, request: ApiKeyRequest): Promise<IssuedApiKey> {
    const { name, agentId = null, scopes, everybody } = request;
    const { projectId, role } = await this.ownerOfNew(tx, caller, request);
    if (!(await this.keys.hasRoom(tx, projectId, agentId))) {
      const holder = agentId === null ? 'A project' : 'An agent';
      throw new ConflictError(
        'limit_reached',
        `${holder} can have ${this.keys.maximum} API keys at most: revoke one first`,
      );
    }
    const expiresAt = endOf(request.expiresInDays ? request.expiresInDays * DAY_MS : null);
    const createdBy = caller.userId;
    const order = { projectId, createdBy, role, agentId, name, scopes, everybody, expiresAt };
    const issued = await this.issue(tx, order);
    const target = targetOf('api_key', issued.record);
    await this.auditLog.write(tx, caller, 'api_key.create', target, factsOf(issued.record));
    return issued;
  }

  /**
   * Lists the keys that the caller may manage: their own, and those of the projects that they maintain.
   *
   * @param projectId absent: all of these projects
   * @throws NotFoundError, ForbiddenError
   */
  list(
    caller: UserPrincipal,
    { projectId, ...filter }: Omit<ApiKeyFilter, 'projectIds'> & { readonly projectId?: string },
    request: PageRequest,
  ): Promise<Page<ApiKey>> {
    const reach = ownReachOf(caller);
    const projectIds = projectId === undefined ? [...reach.allowed] : [projectFor(reach, projectId)];
    return this.lists.page(caller.userId, request, false, (connection) =>
      this.keys.list(connection, { ...filter, projectIds }, request),
    );
  }

  /**
   * Revokes a key, on every instance within a second. The record stays for `KEY_RETENTION_DAYS`; a repetition changes
   * nothing. An operator may revoke any key.
   *
   * @throws NotFoundError, ForbiddenError
   */
  async revoke(caller: UserPrincipal, id: string): Promise<void> {
    await this.database.people.transaction(async (tx) => {
      const reach = reachOf(caller);
      const revoked = reached(reach, await this.keys.revoke(tx, projectIdsOf(reach), id, 0), 'API key');
      await this.records.revoke(tx, [id]);
      await this.auditLog.write(tx, caller, 'api_key.revoke', targetOf('api_key', { ...revoked, id }));
    }, caller.userId);
  }

  /**
   * Replaces a key by one of the same name, for the same holder and with the same lifetime, if any. Of concurrent
   * rotations of one key, one succeeds.
   *
   * @param graceSeconds time for which the old key may still be used
   * @throws NotFoundError, ForbiddenError
   * @throws ConflictError if it has been revoked, rotated before, or has expired
   */
  async rotate(
    tx: Transaction,
    caller: UserPrincipal,
    id: string,
    graceSeconds: number,
  ): Promise<IssuedApiKey> {
    const reach = ownReachOf(caller);
    const old = reached(reach, await this.keys.lockOwned(tx, reach.projectIds, id), 'API key');
    const { projectId, role, agentId, name, scopes, everybody } = old;
    if (everybody) requireOperator(caller);
    if (role !== null && !isAtLeast(roleIn(caller, projectId), role))
      throw new ForbiddenError('missing_role', `Missing role: ${role}`);
    if (!old.isReplaceable) {
      throw new ConflictError(
        'key_not_rotatable',
        "A key that was revoked or rotated, or has expired, can't be rotated",
      );
    }
    await this.keys.revoke(tx, [projectId], id, graceSeconds);
    await this.records.revoke(tx, [id]);
    const createdBy = caller.userId;
    const expiresAt = endOf(old.lifetimeMs);
    const order = { projectId, createdBy, role, agentId, name, scopes, everybody, expiresAt };
    const issued = await this.issue(tx, order);
    await this.auditLog.write(tx, caller, 'api_key.rotate', targetOf('api_key', { ...old, id }), {
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

  /**
   * The holder of a key; null if the key is invalid or not in force.
   *
   * @param originOf the origin of the request, for the audit log's entry of a key that was revoked or has expired
   */
  async authenticate(rawKey: string, originOf: () => RequestOrigin): Promise<ApiKeyHolder | null> {
    const parsed = parseKey(rawKey);
    if (!parsed) return null;
    const record = await this.records.get(parsed.id, () => this.read(parsed), rememberFor);
    if (!isReal(parsed, record)) return null;
    if (!isInForce(record)) {
      this.recordTried(record, originOf());
      return null;
    }
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

  /** Deletes the keys of an agent or a project that is being deleted; they stop working on every instance within a second. */
  async deleteOf(tx: Transaction, holder: KeysHolder): Promise<void> {
    await this.records.revoke(tx, await this.keys.deleteOf(tx, holder));
  }

  /** Gives the keys of an agent to another project, on every instance within a second. */
  async moveForAgent(tx: Transaction, agentId: string, projectId: string): Promise<void> {
    await this.records.revoke(tx, await this.keys.moveForAgent(tx, agentId, projectId));
  }

  /** Once an hour for each key and address, because a runtime whose key has ended may continue for days. */
  private recordTried(key: StoredApiKey, origin: RequestOrigin): void {
    if (this.tried.isRepeated([key.id, origin.address])) return;
    const party = { kind: 'anonymous', origin } as const;
    this.auditLog.refused(party, 'api_key.use', targetOf('api_key', key), { reason: ENDED });
  }

  /** The project that owns a new key or its agent, and the role of a project's key. */
  private async ownerOfNew(
    tx: Transaction,
    caller: UserPrincipal,
    { agentId = null, projectId, role, scopes, everybody }: ApiKeyRequest,
  ): Promise<{ readonly projectId: string; readonly role: Role | null }> {
    const reach = ownReachOf(caller);
    if (role !== undefined && (agentId !== null || projectId === undefined))
      throw InvalidError.of('role', 'not_allowed', 'role requires project_id, and does not go with agent_id');
    if (everybody) {
      requireOperator(caller);
      if (agentId !== null || projectId !== undefined)
        throw InvalidError.of(
          'everybody',
          'not_allowed',
          'everybody does not go with agent_id or project_id',
        );
    }
    if (agentId !== null) {
      if (scopes)
        throw InvalidError.of('scopes', 'not_allowed', 'scopes must not be given for a key of an agent');
      const agent = reached(reach, await this.keys.holdAgent(tx, reach.projectIds, agentId), 'Agent');
      if (projectId !== undefined && projectId !== agent.projectId) throw new NotFoundError('Agent');
      return { projectId: agent.projectId, role: null };
    }
    if (projectId === undefined) return { projectId: caller.userId, role: null };
    const given = role ?? 'deployer';
    const owner = projectFor(reach, projectId);
    const own = roleIn(caller, owner);
    if (!isAtLeast(own, given))
      throw InvalidError.of('role', 'out_of_range', `role must not be above your own, ${own}`);
    return { projectId: owner, role: given };
  }

  private async read({ kind, id }: ParsedApiKey): Promise<KnownApiKey | null> {
    const askedAt = performance.now();
    const stored = await this.lookups[kind].submit(id);
    return stored && { ...stored, goodUntil: askedAt + (stored.remainingMs ?? Infinity) };
  }
}

function roleIn({ memberships }: UserPrincipal, projectId: string): Role {
  return memberships.find((each) => each.projectId === projectId)!.role;
}

function requireOperator({ isAdmin }: UserPrincipal): void {
  if (!isAdmin) throw new ForbiddenError('missing_role', 'Operators only');
}

function factsOf({ name, agentId, role, scopes, everybody, expiresAt }: ApiKey): AuditDetails {
  const reach = { ...(role && { role }), ...(everybody && { everybody }) };
  return { name, agent_id: agentId, ...reach, scopes, expires_at: expiresAt };
}

function endOf(lifetimeMs: number | null): string | undefined {
  return lifetimeMs === null ? undefined : new Date(Date.now() + lifetimeMs).toISOString();
}

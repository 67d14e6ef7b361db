import { projectFor, reached } from '../http/required-role.js';
import { Injectable } from '@nestjs/common';
import { ownReachOf, projectIdsOf, type Reach, reachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { grants } from '../access/scopes.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import { Database } from '../database/database.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { newId } from '../database/new-id.js';
import { ConflictError, ForbiddenError, NotFoundError } from '../errors/domain-error.js';
import { DEFAULT_EVENTS } from './event-catalogue.js';
import { SigningSecretCipher } from './signing-secret-cipher.js';
import { generateSecret } from './signing-secret.js';
import type { NewWebhook, Webhook, WebhookChange, WebhookWithSecret } from './webhook.types.js';
import { isMember, shownTo } from './webhook-address.js';
import { WebhookTargets } from './webhook-targets.js';
import { WebhooksRepository } from './webhooks.repository.js';

/** Time for which the previous secret still signs. */
const PREVIOUS_SIGNS_FOR_HOURS = 24;

@Injectable()
export class WebhooksService {
  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly targets: WebhookTargets,
    private readonly cipher: SigningSecretCipher,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * @param input its target was checked by {@link WebhookTargets.assertAllowed}
   * @throws NotFoundError, ForbiddenError if the caller may not make webhooks in the project
   * @throws ConflictError if the project has as many webhooks as its limit allows
   */
  async create(tx: Transaction, caller: UserPrincipal, input: NewWebhook): Promise<WebhookWithSecret> {
    const projectId = projectFor(ownReachOf(caller), input.projectId);
    const id = newId();
    const secret = input.secret ?? generateSecret();
    const row = {
      id,
      projectId,
      createdBy: caller.userId,
      url: input.url,
      events: input.events ?? DEFAULT_EVENTS,
      format: input.format ?? 'standard',
      includePayloads: input.includePayloads ?? false,
      description: input.description ?? null,
      isActive: input.isActive ?? true,
      secret: await this.cipher.seal(id, secret),
    };
    const webhook = await this.webhooks.insert(tx, row);
    if (typeof webhook === 'number')
      throw new ConflictError(
        'limit_reached',
        `The project ${projectId} can have ${webhook} webhooks at most: delete one first`,
      );
    await this.auditLog.write(tx, caller, 'webhook.create', targetOf('webhook', webhook), {
      host: new URL(webhook.url).host,
      events: webhook.events,
    });
    return { webhook, secret };
  }

  /**
   * Reads a webhook for a person. An operator's read in a project that is not theirs is audited.
   *
   * @param reveals true: an operator asks for the whole address, which has an entry of its own
   * @throws NotFoundError
   * @throws ForbiddenError if a key without the scope `webhooks` asks for it
   */
  async read(caller: UserPrincipal, id: string, reveals: boolean): Promise<Webhook> {
    const webhook = await this.findWithin(reachOf(caller), id);
    this.auditLog.read(caller, 'webhook.read', targetOf('webhook', webhook));
    if (!reveals || isMember(caller, webhook.projectId)) return shownTo(caller, webhook);
    await this.recordReveal(caller, webhook);
    return webhook;
  }

  /** @throws NotFoundError, ForbiddenError */
  findWithin(reach: Reach, id: string): Promise<Webhook> {
    return this.findOn(this.database.people.manager, reach, id);
  }

  /**
   * Updates a webhook. A new secret replaces the old one as {@link rotateSecret} does; the current one changes nothing.
   *
   * @throws NotFoundError, ForbiddenError
   * @throws InvalidError where the target is not allowed
   * @throws RateLimitedError where too many names of this user are being resolved already
   */
  async update(caller: UserPrincipal, id: string, change: WebhookChange): Promise<Webhook> {
    const { projectId } = await this.findWithin(ownReachOf(caller), id);
    if (change.url !== undefined) await this.targets.assertAllowed(caller.userId, change.url);
    return this.database.people.transaction(async (tx) => {
      if (change.secret !== undefined) await this.useSecret(tx, projectId, id, change.secret);
      const webhook = existing(await this.webhooks.updateOwned(tx, projectId, id, change));
      await this.auditLog.write(tx, caller, 'webhook.update', targetOf('webhook', webhook), {
        changed: namesOf(change),
        host: new URL(webhook.url).host,
        is_active: webhook.isActive,
      });
      return webhook;
    }, caller.userId);
  }

  /**
   * Replaces the secret. The old one also signs for 24 hours. The current secret, given again, changes nothing.
   *
   * @param given absent: one is made
   * @throws NotFoundError
   */
  async rotateSecret(
    tx: Transaction,
    caller: UserPrincipal,
    id: string,
    given?: string | null,
  ): Promise<WebhookWithSecret> {
    const { projectId } = await this.findOn(tx, ownReachOf(caller), id);
    const secret = given ?? generateSecret();
    const webhook = await this.useSecret(tx, projectId, id, secret);
    await this.auditLog.write(tx, caller, 'webhook.rotate_secret', targetOf('webhook', webhook));
    return { webhook, secret };
  }

  /** Deletes a webhook: no route returns it any more, and nothing more is sent. @throws NotFoundError */
  async delete(caller: UserPrincipal, id: string): Promise<void> {
    await this.database.people.transaction(async (tx) => {
      const reach = reachOf(caller);
      const { projectId } = reached(
        reach,
        await this.webhooks.markDeleted(tx, projectIdsOf(reach), id),
        'Webhook',
      );
      await this.auditLog.write(tx, caller, 'webhook.delete', targetOf('webhook', { id, projectId }));
    }, caller.userId);
  }

  /** Deletes the webhooks of a project, as {@link delete} does. */
  deleteForProject(tx: Transaction, projectId: string): Promise<void> {
    return this.webhooks.markDeletedOfProject(tx, projectId);
  }

  /** Records that the caller gets the address. The entry is committed before it is sent. @throws ForbiddenError */
  private recordReveal(caller: UserPrincipal, webhook: Webhook): Promise<void> {
    if (!grants(caller.scopes, 'webhooks'))
      throw new ForbiddenError('missing_scope', 'Missing scope: webhooks');
    return this.database.people.transaction(
      (tx) => this.auditLog.write(tx, caller, 'webhook.reveal', targetOf('webhook', webhook)),
      caller.userId,
    );
  }

  /**
   * Signs with this secret from now on. A request that is repeated gives the secret in use: replaced by itself, it would end
   * the one before it, with which receivers still verify.
   *
   * @throws NotFoundError
   */
  private async useSecret(tx: Transaction, projectId: string, id: string, secret: string): Promise<Webhook> {
    const { webhook, stored } = existing(await this.webhooks.lockOwnedSecret(tx, projectId, id));
    if (this.cipher.holds(id, stored, secret)) return webhook;
    const sealed = await this.cipher.seal(id, secret);
    return existing(await this.webhooks.replaceSecret(tx, projectId, id, sealed, PREVIOUS_SIGNS_FOR_HOURS));
  }

  private async findOn(connection: Connection, reach: Reach, id: string): Promise<Webhook> {
    return reached(reach, await this.webhooks.find(connection, projectIdsOf(reach), id), 'Webhook');
  }
}

function existing<Found>(found: Found | null): Found {
  if (!found) throw new NotFoundError('Webhook');
  return found;
}

/** The words of the API for properties that have others here. */
const WORDS: Readonly<Record<string, string>> = {
  isActive: 'is_active',
  includePayloads: 'include_payloads',
};

/** Names of the properties that a change sets, as in the API. */
function namesOf(change: WebhookChange): string[] {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return given.map(([name]) => WORDS[name] ?? name);
}

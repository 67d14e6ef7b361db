import { Injectable } from '@nestjs/common';
import { actorOf, type UserPrincipal } from '../access/principal.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { newId } from '../database/new-id.js';
import type { Page, PageRequest } from '../database/page.js';
import { type Connection, onCommit, type Transaction } from '../database/transaction.js';
import { ConflictError, NotFoundError } from '../errors/domain-error.js';
import { ListReads } from '../http/list-reads.js';
import { listedPrice, ownPrice, type PricedCall } from './known-prices.js';
import { MAXIMUM_PRICES, ModelPricesRepository } from './model-prices.repository.js';
import type { ModelPriceEntity } from './model-price.entity.js';

/** A changed price counts on every instance after this time. */
const REMEMBERED_MS = 10_000;

/** The cost of a call, in millionths of a dollar; null: nobody knows. */
export type Pricing = (call: PricedCall) => number | null;

/** A price as an operator sets it. */
export type NewPrice = Omit<ModelPriceEntity, 'id' | 'createdBy' | 'createdAt'>;

/** Prices of models: an installation's own come before those of the public lists. */
@Injectable()
export class ModelPricesService {
  private own: readonly ModelPriceEntity[] = [];
  private readAt = -Infinity;

  constructor(
    private readonly prices: ModelPricesRepository,
    private readonly lists: ListReads,
    private readonly auditLog: AuditLogService,
  ) {}

  /** The prices that hold now. */
  async pricing(connection: Connection): Promise<Pricing> {
    if (performance.now() - this.readAt > REMEMBERED_MS) {
      this.own = await this.prices.all(connection);
      this.readAt = performance.now();
    }
    const { own } = this;
    return (call) => ownPrice(own, call) ?? listedPrice(call);
  }

  /** The prices that operators have set. @param userId the caller; people share the searches fairly */
  list(userId: string, request: PageRequest): Promise<Page<ModelPriceEntity>> {
    return this.lists.page(userId, request, false, (connection) => this.prices.list(connection, request));
  }

  /** Sets a price. @throws ConflictError if there are as many as there can be */
  async put(tx: Transaction, caller: UserPrincipal, price: NewPrice): Promise<ModelPriceEntity> {
    const written = await this.prices.put(tx, { ...price, id: newId(), createdBy: actorOf(caller) });
    if ((await this.prices.count(tx)) > MAXIMUM_PRICES)
      throw new ConflictError(
        'limit_reached',
        `There are ${MAXIMUM_PRICES} prices, the maximum: delete one first`,
      );
    await this.record(tx, caller, 'model_price.put', written);
    return written;
  }

  /** @throws NotFoundError */
  async delete(tx: Transaction, caller: UserPrincipal, id: string): Promise<void> {
    const deleted = await this.prices.delete(tx, id);
    if (!deleted) throw new NotFoundError('Price');
    await this.record(tx, caller, 'model_price.delete', deleted);
  }

  private async record(
    tx: Transaction,
    caller: UserPrincipal,
    action: 'model_price.put' | 'model_price.delete',
    { id, provider, model }: ModelPriceEntity,
  ): Promise<void> {
    await this.auditLog.write(
      tx,
      caller,
      action,
      { type: 'model_price', id, projectId: null },
      { provider, model },
    );
    onCommit(tx, () => (this.readAt = -Infinity));
  }
}

import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import { listedPrice, ownPrice, type PricedCall } from './known-prices.js';
import { ModelPricesRepository } from './model-prices.repository.js';
import type { ModelPriceEntity } from './model-price.entity.js';

/** A changed price counts on every instance after this time. */
const REMEMBERED_MS = 10_000;

/** What a call costs, in millionths of a dollar; null: nobody knows. */
export type Pricing = (call: PricedCall) => number | null;

/** Prices of models: an installation's own come before those of the public lists. */
@Injectable()
export class ModelPricesService {
  private own: readonly ModelPriceEntity[] = [];
  private readAt = -Infinity;

  constructor(private readonly prices: ModelPricesRepository) {}

  /** The prices that hold now. */
  async pricing(connection: Connection): Promise<Pricing> {
    if (performance.now() - this.readAt > REMEMBERED_MS) {
      this.own = await this.prices.all(connection);
      this.readAt = performance.now();
    }
    const { own } = this;
    return (call) => ownPrice(own, call) ?? listedPrice(call);
  }
}

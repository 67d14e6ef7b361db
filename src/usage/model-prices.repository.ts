import { Injectable } from '@nestjs/common';
import { returnedRows, selectRows, columnsOf } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { readNewest } from '../database/read-page.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { ModelPriceEntity } from './model-price.entity.js';

/** Maximum number of an installation's own prices. */
export const MAXIMUM_PRICES = 1_000;

@Injectable()
export class ModelPricesRepository {
  /** All of them; there are few. The latest of a model comes first. */
  all(connection: Connection): Promise<ModelPriceEntity[]> {
    return selectRows(connection, ModelPriceEntity, 'price').orderBy('price.validFrom', 'DESC').getRawMany();
  }

  list(connection: Connection, request: PageRequest): Promise<Page<ModelPriceEntity>> {
    return readNewest(connection, selectRows(connection, ModelPriceEntity, 'price'), request);
  }

  count(connection: Connection): Promise<number> {
    return connection.count(ModelPriceEntity);
  }

  /** Writes a price, in the place of one of the same provider, model and time. */
  async put(tx: Transaction, price: Omit<ModelPriceEntity, 'createdAt'>): Promise<ModelPriceEntity> {
    const [row] = await returnedRows<ModelPriceEntity>(
      tx
        .createQueryBuilder()
        .insert()
        .into(ModelPriceEntity)
        .values(price)
        .orUpdate(
          ['input_micros', 'cache_read_micros', 'cache_write_micros', 'output_micros', 'created_by'],
          ['provider', 'model', 'valid_from'],
        )
        .returning(columnsOf(ModelPriceEntity)),
    );
    return row!;
  }

  /** @returns the deleted price; null: there is none */
  async delete(tx: Transaction, id: string): Promise<ModelPriceEntity | null> {
    const [row] = await returnedRows<ModelPriceEntity>(
      tx
        .createQueryBuilder()
        .delete()
        .from(ModelPriceEntity)
        .where({ id })
        .returning(columnsOf(ModelPriceEntity)),
    );
    return row ?? null;
  }
}

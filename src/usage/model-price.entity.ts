import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import { TimestampColumn } from '../database/row-values.js';

/** An operator's price of a model from a time on. Millionths of a dollar for a million tokens. */
@Entity('model_prices')
@Unique('model_prices_provider_model_valid_from_key', ['provider', 'model', 'validFrom'])
export class ModelPriceEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'model_prices_pkey' })
  id: string;

  /** Empty: any. */
  @Column('text')
  provider: string;

  /** A model's name; `*` at its end stands for any rest. */
  @Column('text')
  model: string;

  @Column('bigint', { name: 'input_micros' })
  inputMicros: number;

  @Column('bigint', { name: 'cache_read_micros' })
  cacheReadMicros: number;

  @Column('bigint', { name: 'cache_write_micros' })
  cacheWriteMicros: number;

  @Column('bigint', { name: 'output_micros' })
  outputMicros: number;

  @TimestampColumn({ name: 'valid_from' })
  validFrom: string;

  @Column('text', { name: 'created_by' })
  createdBy: string;

  @TimestampColumn({ name: 'created_at', default: () => 'now()' })
  createdAt: string;
}

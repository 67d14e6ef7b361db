import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnsOf } from './entity-rows.js';
import { insertSql } from './insert-sql.js';
import { TimestampColumn } from './row-values.js';

@Entity('things')
class ThingEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text', { name: 'secret_hash', select: false })
  secretHash: string;

  @TimestampColumn({ name: 'created_at' })
  createdAt: string;
}

describe('The columns of an entity', () => {
  it('are aliased to its properties, without the ones that are not selected by default', () => {
    expect(columnsOf(ThingEntity)).toBe('"id", "created_at" AS "createdAt"');
  });

  it('are those of the given properties, including secret ones', () => {
    expect(columnsOf(ThingEntity, ['secretHash'])).toBe('"secret_hash" AS "secretHash"');
  });

  it('are qualified with the alias of the table', () => {
    expect(columnsOf(ThingEntity, ['id', 'createdAt'], 'thing')).toBe(
      '"thing"."id", "thing"."created_at" AS "createdAt"',
    );
  });
});

describe('The INSERT statement of an entity', () => {
  it('has the same text for any number of rows', () => {
    expect(insertSql(ThingEntity).replaceAll(/\s+/g, ' ')).toBe(
      'INSERT INTO "things" ("id", "secret_hash", "created_at") SELECT "id", "secretHash", "createdAt" ' +
        'FROM json_to_recordset($1) AS given ("id" uuid, "secretHash" text, "createdAt" timestamptz)',
    );
  });

  it('has the given properties alone, and SQL for those that are not stored as given', () => {
    const values = { createdAt: 'greatest(now(), "createdAt")' };
    expect(insertSql(ThingEntity, ['id', 'createdAt'], values).replaceAll(/\s+/g, ' ')).toBe(
      'INSERT INTO "things" ("id", "created_at") SELECT "id", greatest(now(), "createdAt") ' +
        'FROM json_to_recordset($1) AS given ("id" uuid, "createdAt" timestamptz)',
    );
  });
});

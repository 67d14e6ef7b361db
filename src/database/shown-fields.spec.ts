import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonText } from './json-text.js';
import { TimestampColumn } from './row-values.js';
import { documentOf, documentSql, type FieldsOf, shownColumns } from './shown-fields.js';

@Entity('shown_things')
class ThingEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('integer', { name: 'ready_replicas' })
  readyReplicas: number;

  @TimestampColumn({ name: 'created_at' })
  createdAt: string;
}

interface ThingResponse {
  id: string;
  thing_id: string;
  ready_replicas: number;
  created_at: string;
}

const FIELDS = {
  id: 'id',
  thing_id: 'id',
  ready_replicas: 'readyReplicas',
  created_at: 'createdAt',
} as const satisfies FieldsOf<ThingResponse, ThingEntity>;

describe('The fields of a document', () => {
  it('are read from a row', () => {
    const row = { id: 'one', readyReplicas: 2, createdAt: '2026-01-31T09:30:00.000Z', secret: 'hidden' };
    expect(documentOf<ThingResponse, ThingEntity>(FIELDS, row)).toEqual({
      id: 'one',
      thing_id: 'one',
      ready_replicas: 2,
      created_at: '2026-01-31T09:30:00.000Z',
    });
  });

  it('are selected as JSON from the columns that the entity names, times as ISO text', () => {
    expect(documentSql(FIELDS, shownColumns(ThingEntity, 'thing'))).toBe(
      '(SELECT row_to_json(shown) FROM (SELECT "thing"."id" AS "id", "thing"."id" AS "thing_id", ' +
        '"thing"."ready_replicas" AS "ready_replicas", ' +
        `to_char("thing"."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "created_at") AS shown)`,
    );
  });
});

describe('JSON that is there already', () => {
  const first = new JsonText<{ id: number }>('{"id":1}');

  it('gets more properties, JSON and values among them', () => {
    const more = JsonText.object<{ name: string; others: { id: number }[]; none: string[] }>({
      name: '"quoted"',
      others: [first, JsonText.of({ id: 2 })],
      none: [],
    });
    expect(JSON.parse(first.with(more).text)).toEqual({
      id: 1,
      name: '"quoted"',
      others: [{ id: 1 }, { id: 2 }],
      none: [],
    });
  });
});

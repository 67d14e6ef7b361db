import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from './row-values.js';
import { ShownDocument, shownColumns, shownText } from './shown-document.js';
import { ShownRows } from './shown-rows.js';

@Entity('shown_things')
class ThingEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('integer', { name: 'ready_replicas' })
  readyReplicas: number;

  @Column('text', { nullable: true })
  message: string | null;

  @Column('jsonb')
  labels: Record<string, string>;

  @TimestampColumn({ name: 'created_at' })
  createdAt: string;
}

const DOCUMENT = new ShownDocument(
  {
    id: 'id',
    thing_id: 'id',
    ready_replicas: 'readyReplicas',
    message: 'message',
    labels: 'labels',
    owner: 'owner',
    created_at: 'createdAt',
  },
  { ...shownColumns(ThingEntity, 'thing'), owner: shownText('"user".name') },
);
const TEXTS = ['one', '2', 'a "quoted"\n\\ line', '{"team": "x"}', null, '2026-01-31 09:30:00.12+00'];
const ITEMS = TEXTS.map((text) => JSON.stringify(text));

describe('A document', () => {
  it('selects each property once, as text', () => {
    expect(DOCUMENT.values).toBe(
      'ARRAY["thing"."id"::text, "thing"."ready_replicas"::text, "thing"."message", "thing"."labels"::text, ' +
        '"user".name, "thing"."created_at"::text]',
    );
  });

  it('is written in the order of its fields, with texts escaped, JSON as it is, and times as ISO text', () => {
    expect(DOCUMENT.write(ITEMS)).toBe(
      '{"id":"one","thing_id":"one","ready_replicas":2,"message":"a \\"quoted\\"\\n\\\\ line",' +
        '"labels":{"team": "x"},"owner":null,"created_at":"2026-01-31T09:30:00.120Z"}',
    );
  });

  it('refuses a column of a type that it does not know', () => {
    class OddEntity {
      @Column('bytea')
      secret: Buffer;
    }
    expect(() => shownColumns(OddEntity, 'odd')).toThrow('can not show secret: it is of the type bytea');
  });
});

describe('Rows with a document', () => {
  const rows = new ShownRows(DOCUMENT, { readyReplicas: Number, note: String, rank: Number }, '1');

  it('are one value, which has what the document does not show behind it', () => {
    expect(rows.gathered('SELECT 1')).toBe(
      'SELECT json_agg(document || ARRAY["note"::text, "rank"::text, "page_bytes"::text]) AS gathered FROM (SELECT 1) AS page',
    );
  });

  it('have the properties beside their documents', () => {
    const gathered = JSON.stringify([[...TEXTS, 'a note', null, '7']]);
    expect(rows.rows([{ gathered }])).toEqual([
      { document: DOCUMENT.write(ITEMS), readyReplicas: 2, note: 'a note', rank: null, page_bytes: 7 },
    ]);
  });

  it('are none where PostgreSQL has found none', () => {
    expect(rows.rows([{ gathered: null }])).toEqual([]);
  });
});

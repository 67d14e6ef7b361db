import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TimestampColumn } from './row-values.js';
import { ShownDocument, shownColumns, shownText } from './shown-document.js';
import { besideText, besideTime, ShownRows } from './shown-rows.js';

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

const TEXTS = ['one', '2', '"a \\"quoted\\"\\n line"', '{"team": "x"}', 'null', '2026-01-31 09:30:00.12+00'];
const WRITTEN =
  '{"id":"one","thing_id":"one","ready_replicas":2,"message":"a \\"quoted\\"\\n line",' +
  '"labels":{"team": "x"},"owner":null,"created_at":"2026-01-31T09:30:00.120Z"}';

describe('A document', () => {
  it('selects each property once, and none as null', () => {
    expect(DOCUMENT.values).toEqual([
      '"thing"."id"',
      '"thing"."ready_replicas"',
      `coalesce(to_json("thing"."message"), 'null')`,
      '"thing"."labels"',
      `coalesce(to_json("user".name), 'null')`,
      '"thing"."created_at"',
    ]);
  });

  it('is written in the order of its fields, with JSON as it is, and times as ISO text', () => {
    expect(DOCUMENT.write(['before', ...TEXTS], 1)).toBe(WRITTEN);
  });

  it('ends with the quote of its last value', () => {
    const columns = shownColumns(ThingEntity, 'thing');
    expect(new ShownDocument({ id: 'id' }, columns).write(['one'], 0)).toBe('{"id":"one"}');
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
  const rows = new ShownRows(DOCUMENT, {
    rank: { sql: 'thing.rank', read: Number },
    note: besideText('note'),
    end: besideTime('thing.end'),
  });

  it('are lines, in which what the document does not show is first', () => {
    expect(rows.line).toBe(
      `concat_ws('\t', thing.rank, coalesce(to_json(note), 'null'), coalesce(thing.end::text, ''), ` +
        `${DOCUMENT.values.join(', ')})`,
    );
  });

  it('have the properties beside their documents', () => {
    const note = 'a "quoted"\n\t\\ line';
    const gathered = [
      ['7', JSON.stringify(note), '2026-01-31 09:30:00+00', ...TEXTS],
      ['8', '"a note"', '', ...TEXTS],
      ['9', 'null', '', ...TEXTS],
    ];
    expect(rows.rows(gathered.map((texts) => texts.join('\t')).join('\n'))).toEqual([
      { document: WRITTEN, rank: 7, note, end: '2026-01-31T09:30:00.000Z' },
      { document: WRITTEN, rank: 8, note: 'a note', end: null },
      { document: WRITTEN, rank: 9, note: null, end: null },
    ]);
  });

  it('are none where PostgreSQL has found none', () => {
    expect(rows.rows(null)).toEqual([]);
  });
});

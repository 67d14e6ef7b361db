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

const TEXTS = ['2026-01-31 09:30:00.12+00', '"id":"one","message":null'];
const WRITTEN = '"id":"one","message":null,"created_at":"2026-01-31T09:30:00.120Z"';

describe('A document', () => {
  it('is written by PostgreSQL in the order of its fields, but for its times', () => {
    expect(DOCUMENT.template).toBe(
      '"id":"%s","thing_id":"%s","ready_replicas":%s,"message":%s,"labels":%s,"owner":%s',
    );
    expect(DOCUMENT.values).toEqual([
      '"thing"."id"',
      '"thing"."id"',
      '"thing"."ready_replicas"',
      `coalesce(to_json("thing"."message"), 'null')`,
      '"thing"."labels"',
      `coalesce(to_json("user".name), 'null')`,
    ]);
    expect(DOCUMENT.times).toEqual(['"thing"."created_at"']);
  });

  it('gets its times as ISO text', () => {
    expect(DOCUMENT.write(['before', ...TEXTS], 1)).toBe(WRITTEN);
    expect(DOCUMENT.write(['', '"id":"one"'], 0)).toBe('"id":"one","created_at":null');
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

  it('are lines, in which the document is last', () => {
    expect(rows.line).toBe(
      `format('%s\t%s\t%s\t%s\t${DOCUMENT.template}', thing.rank, to_json(note), thing.end, ` +
        `${[...DOCUMENT.times, ...DOCUMENT.values].join(', ')})`,
    );
  });

  it('have the properties beside their documents', () => {
    const note = 'a "quoted"\n\t\\ line';
    const gathered = [
      ['7', JSON.stringify(note), '2026-01-31 09:30:00+00', ...TEXTS],
      ['8', '"a note"', '', ...TEXTS],
      ['9', '', '', ...TEXTS],
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

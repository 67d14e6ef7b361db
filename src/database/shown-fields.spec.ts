import { JsonText, jsonTextOf } from './json-text.js';
import { documentOf, type FieldsOf } from './shown-fields.js';

interface Thing {
  id: string;
  readyReplicas: number;
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
} as const satisfies FieldsOf<ThingResponse, Thing>;

describe('The fields of a document', () => {
  it('are read from a row', () => {
    const row = { id: 'one', readyReplicas: 2, createdAt: '2026-01-31T09:30:00.000Z', secret: 'hidden' };
    expect(documentOf<ThingResponse, Thing>(FIELDS, row)).toEqual({
      id: 'one',
      thing_id: 'one',
      ready_replicas: 2,
      created_at: '2026-01-31T09:30:00.000Z',
    });
  });
});

describe('JSON that is there already', () => {
  const first = new JsonText<{ id: number }>('"id":1');

  it('gets more properties, JSON and values among them', () => {
    const more = JsonText.object<{ name: string; others: { id: number }[]; none: string[] }>({
      name: '"quoted"',
      others: [first, JsonText.of({ id: 2 })],
      none: [],
    });
    expect(JSON.parse(jsonTextOf(first.with(more)))).toEqual({
      id: 1,
      name: '"quoted"',
      others: [{ id: 1 }, { id: 2 }],
      none: [],
    });
  });
});

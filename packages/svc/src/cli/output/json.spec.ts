import type { Context } from '../context.js';
import { CommandFailedError, UsageError } from '../failures.js';
import { printJson, withFields } from './json.js';
import type { JsonView } from './json-view.js';
import { JqFilter } from './jq.js';

const AGENTS = [
  { id: '1', name: 'a\u001b[2J', health: { state: 'idle' } },
  { id: '2', name: 'b', health: { state: 'failing' } },
];

async function printed(value: unknown, view: JsonView): Promise<string[]> {
  const lines: string[] = [];
  printJson(
    { terminal: { print: (line: string) => void lines.push(line) }, view } as unknown as Context,
    value,
  );
  await view.jq?.printed();
  return lines;
}

describe('--json', () => {
  it('keeps the named fields, in the order in which they are named', () => {
    expect(JSON.stringify(withFields(AGENTS[1], ['name', 'id']))).toBe('{"name":"b","id":"2"}');
    expect(withFields(AGENTS, ['id'])).toEqual([{ id: '1' }, { id: '2' }]);
    expect(withFields([], ['whatever'])).toEqual([]);
  });

  it('refuses an unknown field, and names the existing ones', () => {
    expect(() => withFields(AGENTS, ['nmae'])).toThrow(CommandFailedError);
    expect(() => withFields(AGENTS, ['nmae'])).toThrow(
      'Unknown field "nmae" (did you mean "name"?). Fields: id, name, health',
    );
  });
});

describe('--jq', () => {
  it('prints strings without quotes and control characters, and other values as JSON', async () => {
    expect(await printed(AGENTS, { jq: await JqFilter.of('.[].name') })).toEqual(['a\\u001b[2J\nb']);
    expect(await printed(AGENTS, { jq: await JqFilter.of('map(.health)') })).toEqual([
      '[{"state":"idle"},{"state":"failing"}]',
    ]);
    expect(await printed(AGENTS, { jq: await JqFilter.of('.[] | select(.id == "9")') })).toEqual([]);
    expect(await printed(AGENTS, { fields: ['id'], jq: await JqFilter.of('.[0]') })).toEqual(['{"id":"1"}']);
  });

  it('refuses an invalid expression before any request', async () => {
    await expect(JqFilter.of('.[')).rejects.toThrow(UsageError);
    await expect(JqFilter.of('.[')).rejects.toThrow(/^--jq is not a valid jq expression: syntax error/);
  });

  it('reports why an expression fails', async () => {
    const jq = await JqFilter.of('.[].id.x');
    await expect(printed(AGENTS, { jq })).rejects.toThrow('--jq failed: Cannot index string with string "x"');
  });
});

import pc from 'picocolors';
import type { DeploymentEvent, LogRecord } from '@agent-control-plane/client';
import type { Context } from '../context.js';
import { eventLine } from './event-line.js';
import { logLine } from './log-line.js';
import { printRecord } from './record.js';
import { printList } from './table.js';

const plain = pc.createColors(false);
const coloured = pc.createColors(true);

/** A context that keeps the printed texts. @param width of a terminal; nothing: a pipe */
function shownTo(output: 'table' | 'json', width?: number) {
  const printed: string[] = [];
  const noted: string[] = [];
  const terminal = {
    print: (line: string) => void printed.push(line),
    note: (line: string) => void noted.push(line),
    colors: plain,
    noteColors: plain,
    width,
  };
  return { printed, noted, context: { output, terminal, view: {} } as unknown as Context };
}

const log: LogRecord = {
  id: '1',
  agent_id: '2',
  deployment_id: null,
  run_id: null,
  level: 'warning',
  message: 'disk\nfull',
  metadata: { free: 0 },
  timestamp: '2026-01-31T09:30:00.000Z',
};

const event: DeploymentEvent = {
  id: '1',
  project_id: 'p',
  deployment_id: '2',
  sequence: 7,
  event_type: 'failed',
  status: 'failed',
  previous_status: 'running',
  replicas: 1,
  actor: 'agent:2',
  node_id: null,
  error_message: 'out of memory\u001b[2J',
  created_at: '2026-01-31T09:30:00.000Z',
};

describe('The output', () => {
  it('shows a log record on one line, with its metadata if there are any', () => {
    expect(logLine(log, plain)).toBe('2026-01-31T09:30:00.000Z  warning   disk\n    full  {"free":0}');
    expect(logLine({ ...log, metadata: {} }, plain)).not.toContain('{');
    expect(logLine(log, coloured)).toContain('\u001b[33mwarning \u001b[39m');
  });

  it('shows an event on one line', () => {
    expect(eventLine(event, plain)).toBe(
      '2026-01-31T09:30:00.000Z  #7  failed      running -> failed  replicas=1  by agent  out of memory\\u001b[2J',
    );
    const scale = { ...event, event_type: 'scale', previous_status: 'failed', error_message: null } as const;
    expect(eventLine(scale, plain)).toBe(
      '2026-01-31T09:30:00.000Z  #7  scale       failed  replicas=1  by agent',
    );
  });

  it('leaves out empty fields of a resource in a table, and prints the whole JSON', () => {
    const fields = [
      ['Id', '7'],
      ['Node', null],
      ['Config', 'two\nlines\u0007'],
      ['Count', 0],
    ] as const;
    const table = shownTo('table');
    printRecord(table.context, { id: '7' }, fields);
    expect(table.printed).toEqual(['Id      7', 'Config  two\n        lines\\u0007', 'Count   0']);
    const json = shownTo('json');
    printRecord(json.context, { id: '7', node_id: null }, fields);
    expect(JSON.parse(json.printed.join('\n'))).toEqual({ id: '7', node_id: null });
  });

  it('prints the hints of a list only to a terminal', () => {
    const list = { items: [{ id: '7' }], columns: [{ title: 'ID', value: ({ id }: { id: string }) => id }] };
    const hints = { ifEmpty: 'Nothing yet', hasMore: true };
    const person = shownTo('table', 80);
    printList(person.context, { ...list, ...hints });
    expect([person.printed, person.noted]).toEqual([
      ['ID', '7'],
      ['There is more: --limit, --skip or --all'],
    ]);
    const pipe = shownTo('table');
    printList(pipe.context, { ...list, ...hints });
    expect([pipe.printed, pipe.noted]).toEqual([['ID', '7'], []]);
    const nothing = shownTo('table');
    printList(nothing.context, { ...list, ...hints, items: [] });
    expect([nothing.printed, nothing.noted]).toEqual([[], ['Nothing yet']]);
    const json = shownTo('json', 80);
    printList(json.context, { ...list, ...hints, items: [] });
    expect([json.printed, json.noted]).toEqual([['[]'], []]);
  });
});

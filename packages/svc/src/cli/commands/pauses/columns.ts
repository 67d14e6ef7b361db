import type { Pause } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { actorText } from '../../output/actor-name.js';
import { printRecord } from '../../output/record.js';
import { relativeTime } from '../../output/relative-time.js';
import type { Column } from '../../output/table.js';

export function pauseColumns(context: Context): Column<Pause>[] {
  const now = context.now();
  return [
    { title: 'PAUSE', value: ({ id }) => id, fit: 'id' },
    { title: 'AGENTS', value: selectedBy, fit: 'name' },
    { title: 'HOLDS', value: ({ holding }) => holding },
    { title: 'CONFIRMED', value: ({ confirmed }) => confirmed },
    { title: 'REASON', value: ({ reason }) => reason, fit: 'detail' },
    { title: 'BEGUN', value: ({ created_at }) => relativeTime(created_at, now) },
    { title: 'ENDED', value: ({ ended_at }) => relativeTime(ended_at, now) },
  ];
}

/** One pause, in the form that every command prints. */
export function printPause(context: Context, pause: Pause): void {
  printRecord(context, pause, [
    ['Pause', pause.id],
    ['Agents', selectedBy(pause)],
    ['Holds', `${pause.holding} of ${pause.agents}`],
    ['Confirmed', pause.confirmed],
    ['Reason', pause.reason],
    ['By', actorText(pause)],
    ['Runs', pause.runs],
    ['Begun', relativeTime(pause.created_at, context.now())],
  ]);
}

/** `label team:billing, type worker`, or which agents else it is about. */
function selectedBy({ agent_id, agent_name, label, type, by }: Pause): string {
  if (agent_id !== null) return agent_name ?? agent_id;
  if (by === 'budget') return 'of a budget';
  const parts = [label === null ? [] : `label ${label}`, type === null ? [] : `type ${type}`].flat();
  return parts.length > 0 ? parts.join(', ') : 'all';
}

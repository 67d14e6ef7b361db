import { WORST_FIRST } from '../lifecycle/agent-health.js';
import type { AgentPresenceEntity } from './agent-presence.entity.js';
import type { AgentSort } from './agent-sorts.js';
import { conditionOf } from './presence.js';

/** Place of an agent in lists: the key of the order, with its id. */
export interface AgentPlace extends Pick<AgentPresenceEntity, 'lastHeartbeatAt'> {
  /** The lower, the worse. */
  readonly rank: number;
}

/** SQL for the place of an agent in a list of the worst first. */
export const RANK = `CASE ${WORST_FIRST.map((health, rank) => `WHEN ${conditionOf({ health })} THEN ${rank}`).join(' ')} END`;

/** SQL for what lists are ordered by, before the id. */
export const PLACES = {
  name: 'search.name',
  last_heartbeat: 'presence.lastHeartbeatAt',
  health: RANK,
} as const;

export function columnOf(sort: AgentSort): keyof typeof PLACES {
  if (sort === 'health') return sort;
  return sort.endsWith('name') ? 'name' : 'last_heartbeat';
}

/** SQL: an agent comes after the one of `:before`, which has that rank, in a list of the worst first. */
export const isAfterRank = (rank: number | string, id: string, rankBefore: number) =>
  `(${rank} > ${rankBefore} OR (${rank} = ${rankBefore} AND ${id} < :before))`;

/** SQL: an id comes after the one of `:before`, in a list in the order of ids. */
export const isAfter = (id: string, sort: AgentSort) => `${id} ${sort.startsWith('-') ? '<' : '>'} :before`;

export const isByCreation = (sort: AgentSort) => sort.endsWith('created');

/** A query that can be ordered. */
interface Ordered {
  addOrderBy(column: string, direction: 'ASC' | 'DESC', nulls?: 'NULLS LAST'): Ordered;
}

/** @param place SQL for what comes before the id; not used in an order by creation */
export function orderBy(found: Ordered, sort: AgentSort, place: string, id: string): void {
  if (sort === 'health') {
    // by its name in the selection: TypeORM takes an expression for a column
    found.addOrderBy('place', 'ASC').addOrderBy(id, 'DESC');
    return;
  }
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  if (sort.endsWith('name')) found.addOrderBy(place, direction);
  if (sort.endsWith('last_heartbeat')) found.addOrderBy(place, direction, 'NULLS LAST');
  found.addOrderBy(id, direction);
}

import { Injectable } from '@nestjs/common';
import { ofProjects } from '../database/project-pages.js';
import type { Connection } from '../database/transaction.js';
import type { HealthState } from '../lifecycle/agent-health.js';
import { matching } from './agent-search.repository.js';
import { conditionOf } from './presence.js';
import { type AgentGroup, type AgentGrouping, MAXIMUM_GROUPS } from './agent-groups.types.js';
import type { AgentFilter } from './agent.types.js';

/** Healths for which a person has to look at an agent. */
const UNHEALTHY = ['failing', 'degraded', 'offline'] as const satisfies HealthState[];

/** A group, and how many groups there are. */
export type CountedGroup = AgentGroup & { readonly groups: number };

/** Counts agents by a property of theirs. */
@Injectable()
export class AgentGroupsRepository {
  /**
   * Groups with unhealthy agents come first, and then the largest. All agents that match are read once, so the cost is
   * linear. The limit is in the statement: each agent may have a value of its own.
   */
  list(
    connection: Connection,
    filter: AgentFilter,
    grouping: AgentGrouping,
    missedIntervals: number,
  ): Promise<CountedGroup[]> {
    const { found } = matching(connection, filter, missedIntervals, true);
    const isUnhealthy = UNHEALTHY.map((health) => conditionOf({ health })).join(' OR ');
    found
      .select(valueOf(grouping), 'value')
      .addSelect(`(${isUnhealthy})`, 'is_unhealthy')
      .setParameters(grouping.kind === 'label' ? { prefix: `label:${grouping.key}:` } : {});
    return ofProjects(connection, filter.projectIds, found)
      .select('found.value', 'value')
      .addSelect('count(*)::int', 'agents')
      .addSelect('(count(*) FILTER (WHERE found.is_unhealthy))::int', 'unhealthy')
      .addSelect('(count(*) OVER ())::int', 'groups')
      .groupBy('found.value')
      .orderBy('unhealthy', 'DESC')
      .addOrderBy('agents', 'DESC')
      .addOrderBy('value', 'ASC', 'NULLS LAST')
      .limit(MAXIMUM_GROUPS)
      .getRawMany<CountedGroup>();
  }
}

/** SQL for the value of an agent's group. An agent has a row for each key of its labels. */
function valueOf(grouping: AgentGrouping): string {
  const terms = 'FROM unnest(search.terms) AS term WHERE starts_with(term, ';
  switch (grouping.kind) {
    case 'type':
      return `(SELECT substr(term, ${'type:'.length + 1}) ${terms} 'type:'))`;
    case 'project':
      return 'project.id::text';
    case 'label':
      return `(SELECT substr(term, length(:prefix) + 1) ${terms} :prefix))`;
    case 'label keys':
      return `unnest(ARRAY(SELECT split_part(term, ':', 2) ${terms} 'label:')))`;
  }
}

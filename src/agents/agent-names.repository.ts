import { Injectable } from '@nestjs/common';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { selectRows } from '../database/entity-rows.js';
import { OF_PROJECT, ofProjects } from '../database/project-pages.js';
import type { Connection } from '../database/transaction.js';
import { AgentEntity } from './agent.entity.js';
import type { AgentName, AgentNamesFilter } from './agent.types.js';
import { AgentSearchEntity } from './agent-search.entity.js';

/** Largest number of agents that a search for deployments by agent name looks up one by one. */
const FEW = 1_000;
/**
 * Minimum length of a text with a trigram. For shorter ones LIKE reads the owner's rows of `agent_search`, which are
 * narrow.
 */
const TRIGRAM = 3;

@Injectable()
export class AgentNamesRepository {
  /** The projects' agents, or those of a selection. */
  list(
    connection: Connection,
    projectIds: readonly string[],
    { agentIds, labels }: AgentNamesFilter,
  ): Promise<AgentName[]> {
    const found = selectRows(connection, AgentEntity, 'agent', ['id', 'name'])
      .where('agent.projectId = ANY (:projectIds)', { projectIds })
      .andWhere("agent.status <> 'deleting'");
    if (agentIds) found.andWhere('agent.id = ANY (:agentIds)', { agentIds });
    for (const [index, label] of (labels ?? []).entries())
      found.andWhere(`agent.labels @> :label${index}::jsonb`, { [`label${index}`]: JSON.stringify(label) });
    return found.getRawMany<AgentName>();
  }

  /** Ids of the projects' agents whose name contains a text; null if there are more than a thousand. */
  async namesakes(
    connection: Connection,
    projectIds: readonly string[],
    q: string,
  ): Promise<string[] | null> {
    const found = connection
      .createQueryBuilder(AgentSearchEntity, 'search')
      .select('search.agentId', 'id')
      .where(OF_PROJECT('search'))
      .limit(FEW + 1);
    restrictToText(found, q, [], 'name');
    const rows = await ofProjects(connection, projectIds, found)
      .limit(FEW + 1)
      .getRawMany<{ id: string }>();
    return rows.length > FEW ? null : rows.map(({ id }) => id);
  }
}

/** Narrows a query for rows of `search` in `project` to those with a text and all of these terms. */
export function restrictToText(
  found: SelectQueryBuilder<ObjectLiteral>,
  q: string | undefined,
  terms: readonly string[],
  column: 'content' | 'name' = 'content',
): void {
  if (q !== undefined || terms.length > 0) {
    // The project is one of the terms, so the index never reaches another project's agents.
    found.andWhere('search.terms @> (project.id::text || :terms::text[])', { terms });
  }
  if (q === undefined) return;
  found.andWhere(`search.${column} LIKE lower(:pattern)`, {
    pattern: `%${q.replaceAll(/[\\%_]/g, '\\$&')}%`,
  });
  if ([...q].length >= TRIGRAM) {
    found.andWhere('text_trigrams(search.content) @> text_trigrams(lower(:q))', { q });
  }
}

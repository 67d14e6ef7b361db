import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import { AgentNamesRepository } from './agent-names.repository.js';
import type { AgentName, AgentNamesFilter } from './agent.types.js';

/** Finds agents and their names, for lists of other resources. */
@Injectable()
export class AgentNamesService {
  constructor(private readonly names: AgentNamesRepository) {}

  /** The projects' agents, or those of a selection, in no order. */
  list(
    connection: Connection,
    projectIds: readonly string[],
    filter: AgentNamesFilter,
  ): Promise<AgentName[]> {
    return this.names.list(connection, projectIds, filter);
  }

  /** Ids of the projects' agents whose name contains a text, in any case; null if there are more than a thousand. */
  namesakes(connection: Connection, projectIds: readonly string[], q: string): Promise<string[] | null> {
    return this.names.namesakes(connection, projectIds, q);
  }
}

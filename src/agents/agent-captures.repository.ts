import { Injectable } from '@nestjs/common';
import { selectRows } from '../database/entity-rows.js';
import { idList, PreparedQuery } from '../database/prepared-query.js';
import type { Connection } from '../database/transaction.js';
import type { Capture } from './agent-settings.types.js';
import { AgentEntity } from './agent.entity.js';

const FIND = new PreparedQuery('find_captures', ['agentIds'], (connection) =>
  selectRows(connection, AgentEntity, 'agent', ['id', 'capture']).where(
    `agent.id = ANY (${idList('agentIds')}) AND agent.capture <> 'none'`,
  ),
);

/** The kept content of spans, by agent. */
@Injectable()
export class AgentCapturesRepository {
  /** @returns one for each id, in order */
  async find(connection: Connection, agentIds: readonly string[]): Promise<Capture[]> {
    const rows = await FIND.rows<{ id: string; capture: Capture }>(connection, { agentIds });
    const captures = new Map(rows.map(({ id, capture }) => [id, capture]));
    return agentIds.map((id) => captures.get(id) ?? 'none');
  }
}

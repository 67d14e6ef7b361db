import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page.js';
import { readSqlPage } from '../database/read-sql-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import type { AgentStatus } from '../lifecycle/agent-lifecycle.js';
import type { AgentEntity } from './agent.entity.js';
import type { Agent, AgentFilter, AgentRecord, AgentStart, LockedAgent } from './agent.types.js';

const AGENT_COLUMNS = `agent.id, agent.user_id, agent.name, agent.description, agent.type, agent.config, agent.status,
  agent.version, agent.hostname, agent.platform, presence.last_heartbeat_at, presence.online_since,
  agent.created_at, agent.updated_at`;
const RECORD_COLUMNS = `id, user_id, name, description, type, status, version, hostname, platform, created_at,
  updated_at`;
const AGENT_TABLES = 'agents AS agent JOIN agent_presence AS presence ON presence.agent_id = agent.id';
const SELECT_AGENT = `SELECT ${AGENT_COLUMNS} FROM ${AGENT_TABLES} WHERE agent.id = $1 AND agent.status <> 'deleting'`;
const SELECT_LOCKED = `SELECT id, user_id AS "userId", status, config FROM agents
  WHERE id = $1 AND status <> 'deleting'`;

@Injectable()
export class AgentsRepository {
  async insert(
    tx: Transaction,
    agent: Pick<
      AgentEntity,
      'id' | 'userId' | 'name' | 'description' | 'type' | 'config' | 'status' | 'createdAt'
    >,
    toldIntervalSeconds: number,
  ): Promise<void> {
    await rowsOf(
      tx,
      `WITH agent AS (
         INSERT INTO agents (id, user_id, name, description, type, config, status, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) RETURNING id
       )
       INSERT INTO agent_presence (agent_id, told_interval_seconds) SELECT id, $9 FROM agent`,
      [
        agent.id,
        agent.userId,
        agent.name,
        agent.description,
        agent.type,
        agent.config,
        agent.status,
        agent.createdAt,
        toldIntervalSeconds,
      ],
    );
  }

  list(connection: Connection, filter: AgentFilter, request: PageRequest): Promise<Page<Agent>> {
    return readSqlPage<Agent>(
      connection,
      {
        columns: AGENT_COLUMNS,
        from: AGENT_TABLES,
        where: `agent.user_id = $1 AND agent.status <> 'deleting' AND ($2::text IS NULL OR agent.status = $2)`,
        orderBy: 'agent.id DESC',
        parameters: [filter.userId, filter.status ?? null],
        bytes: 'octet_length(config)',
      },
      request,
    );
  }

  async findOwned(connection: Connection, userId: string, agentId: string): Promise<Agent | null> {
    const [agent] = await rowsOf<Agent>(connection, `${SELECT_AGENT} AND agent.user_id = $2`, [
      agentId,
      userId,
    ]);
    return agent ?? null;
  }

  async find(connection: Connection, agentId: string): Promise<Agent | null> {
    const [agent] = await rowsOf<Agent>(connection, SELECT_AGENT, [agentId]);
    return agent ?? null;
  }

  async lockOwned(tx: Transaction, userId: string, agentId: string): Promise<LockedAgent | null> {
    const [agent] = await rowsOf<LockedAgent>(tx, `${SELECT_LOCKED} AND user_id = $2 FOR NO KEY UPDATE`, [
      agentId,
      userId,
    ]);
    return agent ?? null;
  }

  async lock(tx: Transaction, agentId: string): Promise<LockedAgent | null> {
    const [agent] = await rowsOf<LockedAgent>(tx, `${SELECT_LOCKED} FOR NO KEY UPDATE`, [agentId]);
    return agent ?? null;
  }

  /**
   * Takes the rows of those agents that are there and that nobody else holds, in the order of their ids. For many at
   * once: waiting for one of them would make all the others wait.
   */
  async lockFree(tx: Transaction, agentIds: readonly string[]): Promise<Omit<LockedAgent, 'config'>[]> {
    return rowsOf(
      tx,
      `SELECT id, user_id AS "userId", status FROM agents
       WHERE id = ANY ($1::uuid[]) AND status <> 'deleting'
       ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`,
      [agentIds],
    );
  }

  /** @returns the records, as they are now, of those agents that did not have this status already */
  async setStatus(tx: Transaction, agentIds: readonly string[], status: AgentStatus): Promise<AgentRecord[]> {
    return rowsOf(
      tx,
      `UPDATE agents SET status = $2, updated_at = now() WHERE id = ANY ($1::uuid[]) AND status <> $2
       RETURNING ${RECORD_COLUMNS}`,
      [agentIds, status],
    );
  }

  /** The records of agents whose rows the transaction holds. */
  async read(tx: Transaction, agentIds: readonly string[]): Promise<AgentRecord[]> {
    return rowsOf(tx, `SELECT ${RECORD_COLUMNS} FROM agents WHERE id = ANY ($1::uuid[])`, [agentIds]);
  }

  /** One statement for any number of agents, each named once. Writes only where something differs. */
  async updateDetails(tx: Transaction, starts: readonly AgentStart[]): Promise<void> {
    await rowsOf(
      tx,
      `UPDATE agents AS agent
       SET name = coalesce(told.name, agent.name), description = coalesce(told.description, agent.description),
         version = coalesce(told.version, agent.version), hostname = coalesce(told.hostname, agent.hostname),
         platform = coalesce(told.platform, agent.platform),
         capabilities = coalesce(told.capabilities::jsonb, agent.capabilities),
         metadata = coalesce(told.metadata::jsonb, agent.metadata), updated_at = now()
       FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
         AS told(id, name, description, version, hostname, platform, capabilities, metadata)
       WHERE agent.id = told.id
         AND (agent.name, agent.description, agent.version, agent.hostname, agent.platform, agent.capabilities,
           agent.metadata)
         IS DISTINCT FROM (coalesce(told.name, agent.name), coalesce(told.description, agent.description),
           coalesce(told.version, agent.version), coalesce(told.hostname, agent.hostname),
           coalesce(told.platform, agent.platform), coalesce(told.capabilities::jsonb, agent.capabilities),
           coalesce(told.metadata::jsonb, agent.metadata))`,
      [
        starts.map(({ agentId }) => agentId),
        ...(['name', 'description', 'version', 'hostname', 'platform'] as const).map((property) =>
          starts.map(({ details }) => details[property] ?? null),
        ),
        starts.map(({ details }) => jsonOrNull(details.capabilities)),
        starts.map(({ details }) => jsonOrNull(details.metadata)),
      ],
    );
  }

  /** Agents whose removal has begun and whose logs and metrics are still to be purged. */
  async listDeleting(connection: Connection, limit: number): Promise<string[]> {
    const rows = await rowsOf<{ id: string }>(
      connection,
      // In any order: agents whose purge fails must not keep all others from it.
      "SELECT id FROM agents WHERE status = 'deleting' ORDER BY random() LIMIT $1",
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  async delete(connection: Connection, agentId: string): Promise<void> {
    await rowsOf(connection, "DELETE FROM agents WHERE id = $1 AND status = 'deleting'", [agentId]);
  }
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

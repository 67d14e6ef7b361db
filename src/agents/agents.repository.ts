import { Inject, Injectable } from '@nestjs/common';
import { In, Not } from 'typeorm';
import { USUAL_PAGE } from '../budget/list-limits.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { columnsOf, selectRows } from '../database/entity-rows.js';
import { holdProject } from '../http/held-project.js';
import { projectLimit } from '../http/project-limit.js';
import { Page, type PageRequest } from '../database/page.js';
import { OF_PROJECT, readNewestOf } from '../database/project-pages.js';
import { isFirstPage } from '../database/prepared-query.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { AgentConfigCipher } from './agent-config-cipher.js';
import { AgentConfigEntity } from './agent-config.entity.js';
import { insertSearched, updateSearched } from './agent-copies.repository.js';
import { AgentEntity } from './agent.entity.js';
import type { Agent, AgentFilter } from './agent.types.js';
import {
  BYTES_OF_AN_AGENT,
  FIND_AGENT,
  FIND_OWNED_AGENT,
  NEWEST_AGENTS,
  NEWEST_AGENTS_OF_SEVERAL,
  selectAgents,
} from './agent-queries.repository.js';

const NOT_DELETING = Not('deleting' as const);

@Injectable()
export class AgentsRepository {
  /** Agents that a project without a limit of its own may have; 0: any number. */
  private readonly maximum: number;

  constructor(
    @Inject(SETTINGS) settings: Pick<Settings, 'MAX_AGENTS_PER_PROJECT'>,
    private readonly cipher: AgentConfigCipher,
  ) {
    this.maximum = settings.MAX_AGENTS_PER_PROJECT;
  }

  /**
   * Guarantees until the transaction ends that one more agent stays within the project's limit. Without a limit nothing is
   * counted, and creations of one project don't wait for each other. By hand: the statement stops counting at the limit.
   *
   * @returns null if there is room; else the limit
   * @throws NotFoundError if the project has been deleted
   */
  async reachedLimit(tx: Transaction, projectId: string): Promise<number | null> {
    const maximum = await projectLimit(tx, projectId, 'agents', this.maximum);
    await holdProject(tx, projectId, maximum === 0 ? 'shared' : 'counted');
    if (maximum === 0) return null;
    const [row] = await rowsOf<{ agents: number }>(
      tx,
      `SELECT count(*)::int AS agents
       FROM (SELECT FROM agents WHERE user_id = $1 AND status <> 'deleting' LIMIT $2) AS found`,
      [projectId, maximum],
    );
    return row!.agents < maximum ? null : maximum;
  }

  /** Decrypts the config of a row of this repository. */
  opened(agent: Agent): Agent {
    const { id: agentId, configVersion } = agent;
    const config = this.cipher.openOrSay({ agentId, configVersion }, agent.config);
    return config === agent.config ? agent : { ...agent, config };
  }

  /**
   * Inserts the agent, the first version of its config, its row of presence and the one that searches read. By hand: one
   * statement. Its times are the database's, like those of each later change.
   */
  async insert(
    tx: Transaction,
    agent: Pick<
      AgentEntity,
      | 'id'
      | 'projectId'
      | 'createdBy'
      | 'name'
      | 'description'
      | 'type'
      | 'labels'
      | 'status'
      | 'onLoop'
      | 'capture'
      | 'usageFrom'
    > &
      Pick<AgentConfigEntity, 'config' | 'actor'>,
    assignedIntervalSeconds: number,
  ): Promise<Pick<AgentEntity, 'createdAt' | 'updatedAt'>> {
    const [times] = await rowsOf<Pick<AgentEntity, 'createdAt' | 'updatedAt'>>(
      tx,
      `WITH agent AS (
         INSERT INTO agents (id, user_id, name, description, type, status, labels, created_by, on_loop, capture, usage_from)
         VALUES ($1, $2, $3, $4, $5, $6, $10::jsonb, $11, $12, $13, $14) RETURNING *
       ), choice AS (
         INSERT INTO usage_choices (agent_id, since, usage_from) SELECT id, '-infinity', $14 FROM agent WHERE $14 <> 'auto'
       ), version AS (
         INSERT INTO agent_configs (agent_id, config_version, config, actor, created_at)
         SELECT id, 1, $7, $8, created_at FROM agent
       ), presence AS (
         INSERT INTO agent_presence (agent_id, user_id, assigned_interval_seconds) SELECT id, $2, $9 FROM agent
       ), search AS (${insertSearched('agent')})
       SELECT ${columnsOf(AgentEntity, ['createdAt', 'updatedAt'])} FROM agent`,
      [
        agent.id,
        agent.projectId,
        agent.name,
        agent.description,
        agent.type,
        agent.status,
        await this.cipher.seal({ agentId: agent.id, configVersion: 1 }, agent.config),
        agent.actor,
        assignedIntervalSeconds,
        JSON.stringify(agent.labels),
        agent.createdBy,
        agent.onLoop,
        agent.capture,
        agent.usageFrom,
      ],
    );
    return times!;
  }

  /** Lists agents, newest first. */
  async list(
    connection: Connection,
    { projectIds, status }: Pick<AgentFilter, 'projectIds' | 'status'>,
    request: PageRequest,
    missedIntervals: number,
  ): Promise<Page<Agent>> {
    if (!status && isFirstPage(request, USUAL_PAGE.ofResources)) {
      const newest = projectIds.length === 1 ? NEWEST_AGENTS : NEWEST_AGENTS_OF_SEVERAL;
      const rows = await newest.rows<Agent>(connection, { projectIds, missedIntervals });
      return Page.of(rows, request).continuedBy(({ id }) => ({ before: id }));
    }
    const newestFirst = selectAgents(connection)
      .setParameters({ missedIntervals })
      .where(OF_PROJECT('agent'))
      .andWhere({ status: NOT_DELETING });
    if (status) newestFirst.andWhere({ status });
    return readNewestOf(connection, projectIds, newestFirst, request, BYTES_OF_AN_AGENT);
  }

  async findOwned(
    connection: Connection,
    projectIds: readonly string[],
    agentId: string,
    missedIntervals: number,
  ): Promise<Agent | null> {
    const [agent] = await FIND_OWNED_AGENT.rows<Agent>(connection, { agentId, projectIds, missedIntervals });
    return agent ?? null;
  }

  /** Finds an agent of any project. */
  async find(connection: Connection, agentId: string, missedIntervals: number): Promise<Agent | null> {
    const [agent] = await FIND_AGENT.rows<Agent>(connection, { agentId, missedIntervals });
    return agent ?? null;
  }

  /** Ids of the project's agents that are not stopped. */
  async listNotStopped(connection: Connection, projectId: string): Promise<string[]> {
    const rows = await selectRows(connection, AgentEntity, 'agent', ['id'])
      .where({ projectId, status: Not(In(['stopped', 'deleting'])) })
      .orderBy('agent.id')
      .getRawMany<{ id: string }>();
    return rows.map(({ id }) => id);
  }

  /** Number of these agents, each named once, that belong to one of the projects. */
  countAmong(
    connection: Connection,
    projectIds: readonly string[],
    agentIds: readonly string[],
  ): Promise<number> {
    return connection.getRepository(AgentEntity).countBy({
      id: In([...agentIds]),
      projectId: In([...projectIds]),
      status: NOT_DELETING,
    });
  }

  /** Writes a change by the owner to an agent whose row the transaction has locked. */
  async update(
    tx: Transaction,
    agentId: string,
    columns: Pick<
      Agent,
      'name' | 'description' | 'type' | 'labels' | 'onLoop' | 'capture' | 'usageFrom' | 'configVersion'
    >,
  ): Promise<void> {
    const update = tx
      .createQueryBuilder()
      .update(AgentEntity)
      .set({ ...columns, updatedAt: () => 'now()' })
      .where({ id: agentId });
    await updateSearched(tx, update);
  }

  /** Records from what the usage of an agent whose row the transaction has locked is counted from now on. By hand: its clock. */
  async chooseUsage(tx: Transaction, agentId: string, usageFrom: Agent['usageFrom']): Promise<void> {
    const insert =
      'INSERT INTO usage_choices (agent_id, since, usage_from) VALUES ($1, clock_timestamp(), $2)';
    await rowsOf(tx, insert, [agentId, usageFrom]);
  }

  /** Adds a config version to an agent whose row the transaction has locked. */
  async insertConfig(tx: Transaction, version: Omit<AgentConfigEntity, 'createdAt'>): Promise<void> {
    await tx
      .createQueryBuilder()
      .insert()
      .into(AgentConfigEntity)
      .values({ ...version, config: await this.cipher.seal(version, version.config) })
      .updateEntity(false)
      .execute();
  }

  /** Agents whose removal has begun and whose logs and metrics are still to be purged. */
  async listDeleting(connection: Connection, limit: number): Promise<string[]> {
    const rows = await selectRows(connection, AgentEntity, 'agent', ['id'])
      // A constant, not a parameter: it leads to the partial index.
      .where("agent.status = 'deleting'")
      // Random order: agents whose purge fails must not delay all others.
      .orderBy('random()')
      .limit(limit)
      .getRawMany<{ id: string }>();
    return rows.map(({ id }) => id);
  }

  async delete(connection: Connection, agentId: string): Promise<void> {
    await connection.getRepository(AgentEntity).delete({ id: agentId, status: 'deleting' });
  }
}

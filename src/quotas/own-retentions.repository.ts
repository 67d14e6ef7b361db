import { Injectable } from '@nestjs/common';
import { NIL } from 'uuid';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import type { AgentWithOwnRetention, OwnRetention, RetentionKind } from './project-limit.types.js';

/** Walks the projects that keep something for their own number of days. SQL by hand: agents belong to a feature above. */
@Injectable()
export class OwnRetentionsRepository {
  /** The next project in order. @param after the id of a project; undefined: from the beginning */
  async next(
    connection: Connection,
    kind: RetentionKind,
    after: string = NIL,
  ): Promise<OwnRetention | undefined> {
    const [next] = await rowsOf<OwnRetention>(
      connection,
      `SELECT project_id AS "projectId", maximum::int AS days FROM project_limits
       WHERE kind = $1 AND maximum IS NOT NULL AND project_id > $2 ORDER BY project_id LIMIT 1`,
      [kind, after],
    );
    return next;
  }

  /**
   * The next agents, ordered by their projects: of each project, no more are read than the limit.
   *
   * @param after undefined: from the beginning
   */
  nextAgents(
    connection: Connection,
    kinds: readonly RetentionKind[],
    after: Pick<AgentWithOwnRetention, 'projectId' | 'agentId'> | undefined,
    limit: number,
  ): Promise<AgentWithOwnRetention[]> {
    return rowsOf<AgentWithOwnRetention>(
      connection,
      `SELECT own.project_id AS "projectId", agent.id AS "agentId", own.days
       FROM (
         SELECT project_id, jsonb_object_agg(kind, maximum) AS days FROM project_limits
         WHERE kind = ANY ($1::text[]) AND maximum IS NOT NULL AND project_id >= $2
         GROUP BY project_id
       ) AS own
       CROSS JOIN LATERAL (
         SELECT id FROM agents
         WHERE user_id = own.project_id AND status <> 'deleting'
           AND id > CASE WHEN own.project_id = $2 THEN $3::uuid ELSE '${NIL}' END
         ORDER BY id LIMIT $4
       ) AS agent
       ORDER BY own.project_id, agent.id LIMIT $4`,
      [kinds, after?.projectId ?? NIL, after?.agentId ?? NIL, limit],
    );
  }
}

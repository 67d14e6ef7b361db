import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Gives agents from before the column `workload` the one that `workloadOf` would: without it they count as idle until
 * their next change. Agents that have one already are left alone.
 */
export const FILL_WORKLOAD = `
  WITH part AS (
    SELECT *, '…' || right(id::text, 8) AS short_id, row_number() OVER (PARTITION BY agent_id ORDER BY id DESC) AS age,
      CASE WHEN status NOT IN ('deploying', 'running', 'ready') THEN NULL
        WHEN restart_pace = 'crash_looping' THEN 4
        WHEN restart_pace = 'frequent' THEN 3
        WHEN status = 'deploying' OR coalesce(observed_generation, generation) < generation THEN 2
        WHEN ready_replicas >= replicas THEN 1
        WHEN ready_generation = generation THEN 3
        ELSE 2 END AS badness
    FROM deployments
  ), ranked AS (
    SELECT *, count(badness) OVER agent AS active, max(badness) OVER agent AS worst,
      count(*) FILTER (WHERE badness IS NOT NULL) OVER (PARTITION BY agent_id, badness) AS alike
    FROM part WINDOW agent AS (PARTITION BY agent_id)
  ), decisive AS (
    SELECT DISTINCT ON (agent_id) *,
      CASE WHEN active > 1 THEN format(' (%s of %s active deployments)', alike, active) ELSE '' END AS others
    FROM ranked WHERE CASE WHEN active > 0 THEN badness = worst ELSE age = 1 END ORDER BY agent_id, id
  )
  UPDATE agents SET
    workload = CASE WHEN active > 0 THEN (ARRAY['ready', 'progressing', 'degraded', 'crash_looping'])[worst]
      WHEN failure_cause = 'heartbeat_lost' THEN 'lost' ELSE 'failed' END,
    workload_reason = CASE
      WHEN active = 0 AND failure_cause = 'heartbeat_lost'
        THEN format('Deployment %s was lost with the agent''s heartbeat', short_id)
      WHEN active = 0 THEN format('Deployment %s failed', short_id)
        || coalesce(': ' || left(split_part(error_message, E'\\n', 1), 300), '')
      WHEN restart_pace = 'crash_looping'
        THEN format('Restarts again and again (%s so far): deployment %s%s', restart_count, short_id, others)
      WHEN restart_pace = 'frequent'
        THEN format('Restarts often (%s so far): deployment %s%s', restart_count, short_id, others)
      WHEN decisive.status = 'deploying' THEN format('Not running yet: deployment %s%s', short_id, others)
      ELSE format('%s of %s replicas ready in deployment %s%s', ready_replicas, replicas, short_id, others) END
  FROM decisive
  WHERE decisive.agent_id = agents.id AND workload = 'idle' AND (active > 0 OR decisive.status = 'failed')`;

export class FillWorkload1790002510000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(FILL_WORKLOAD);
  }

  /** Which agents had none before is not known, and what they have now is right. */
  async down(): Promise<void> {}
}

import { randomUUID } from 'node:crypto';
import { pool } from './limit-database.js';

export interface Step {
  readonly userId: string;
  readonly agentId: string;
  /** Absent for a deploy, which makes a new one. */
  readonly deploymentId?: string;
  readonly action: 'deploy' | 'scale' | 'restart' | 'stop';
  readonly replicas?: number;
}

interface Moved {
  readonly id: string;
  readonly last_sequence: number;
  readonly generation: number;
  readonly replicas: number;
  readonly status: string;
}

const STATUSES = { deploy: 'deploying', scale: 'ready', restart: 'deploying', stop: 'stopped' } as const;
const WORKLOADS = {
  deploy: 'progressing',
  scale: 'progressing',
  restart: 'progressing',
  stop: 'idle',
} as const;

interface Run {
  readonly rows: <Row extends object>(name: string, text: string, values: unknown[]) => Promise<Row[]>;
  readonly send: (name: string, text: string, values?: unknown[]) => Promise<unknown>;
}

/** The statements of one step, in one transaction: locks, the audit entry, the step, its command, its webhook, its history. */
export async function takeStep(step: Step): Promise<object> {
  const client = await pool.connect();
  const run: Run = {
    rows: <Row extends object>(name: string, text: string, values: unknown[]) =>
      client.query<Row>({ name, text, values }).then(({ rows }) => rows),
    send: (name, text, values) => client.query({ name, text, values }),
  };
  try {
    await run.send('begin', 'BEGIN');
    await run.send(
      'lock agent',
      'SELECT config_version FROM agents WHERE id = $1 AND user_id = $2 FOR NO KEY UPDATE',
      [step.agentId, step.userId],
    );
    const moved: Moved[] = [];
    for (const deploymentId of await deploymentsOf(run, step)) {
      moved.push(await takeStepOf(run, step, deploymentId));
    }
    await run.send(
      'audit',
      `INSERT INTO audit_log (id, at, actor, action, target_type, target_id, outcome, details, user_id, owner_id)
       VALUES ($1, now(), 'user:' || $2::text, $3, 'agent', $4, 'success', $5, $2::uuid, $2::uuid)`,
      [
        randomUUID(),
        step.userId,
        `deployment.${step.action}`,
        step.agentId,
        JSON.stringify({ replicas: step.replicas }),
      ],
    );
    await run.send(
      'workload',
      `WITH changed AS (
         UPDATE agents SET workload = $2, workload_reason = $3
         WHERE id = $1 AND paused_at IS NULL AND (workload, workload_reason) IS DISTINCT FROM ($2, $3)
         RETURNING id, workload
       )
       UPDATE agent_presence AS presence SET workload = changed.workload
       FROM changed WHERE presence.agent_id = changed.id AND presence.workload <> changed.workload`,
      [step.agentId, WORKLOADS[step.action], `deployment ${moved[0]?.id}: ${moved[0]?.replicas} replicas`],
    );
    if (step.action !== 'scale') {
      const status = step.action === 'stop' ? 'stopped' : 'running';
      await run.send(
        'agent',
        'UPDATE agents SET status = $2, updated_at = now() WHERE id = $1 AND status <> $2',
        [step.agentId, status],
      );
      await announce(run, step, `agent.${status}`, { agent: { id: step.agentId, status } });
    }
    await client.query('COMMIT');
    return moved;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

async function deploymentsOf(run: Run, step: Step): Promise<string[]> {
  if (step.action === 'deploy') return [randomUUID()];
  if (step.deploymentId !== undefined) return [step.deploymentId];
  const rows = await run.rows<{ id: string }>(
    'lock active',
    `SELECT id FROM deployments WHERE agent_id = $1 AND status IN ('deploying', 'running', 'ready')
     ORDER BY id FOR NO KEY UPDATE`,
    [step.agentId],
  );
  return rows.map(({ id }) => id);
}

async function takeStepOf(run: Run, step: Step, deploymentId: string): Promise<Moved> {
  const moved =
    step.action === 'deploy' ? await insert(run, step, deploymentId) : await move(run, step, deploymentId);
  if (step.action === 'scale' || step.action === 'stop') {
    await run.send(
      'supersede',
      `UPDATE commands SET state = 'superseded', settled_at = now()
       WHERE deployment_id = $1 AND settled_at IS NULL AND attempts = 0 AND ($2::text IS NULL OR action = $2)`,
      [deploymentId, step.action === 'scale' ? 'scale' : null],
    );
  }
  await run.send(
    'command',
    `INSERT INTO commands (id, agent_id, deployment_id, sequence, generation, action, parameters, user_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      randomUUID(),
      step.agentId,
      deploymentId,
      moved.last_sequence,
      moved.generation,
      step.action,
      JSON.stringify(moved),
      step.userId,
    ],
  );
  await run.send('notify', "SELECT pg_notify('bench_transition', $1)", [step.agentId]);
  await announce(run, step, `deployment.${step.action}`, { deployment: moved });
  await run.send(
    'event',
    `INSERT INTO deployment_events (id, user_id, agent_id, deployment_id, sequence, event_type, status, replicas, actor)
     SELECT $1, $2::uuid, $3, $4, $5, $6, $7, $8, 'user:' || $2::uuid`,
    [
      randomUUID(),
      step.userId,
      step.agentId,
      deploymentId,
      moved.last_sequence,
      step.action,
      moved.status,
      moved.replicas,
    ],
  );
  return moved;
}

function announce(run: Run, { userId }: Step, type: string, data: object): Promise<unknown> {
  return run.send(
    'webhook',
    `INSERT INTO webhook_deliveries (webhook_id, event, payload, next_attempt_at)
     SELECT id, $2, $3, now() FROM webhooks WHERE user_id = $1 AND is_active AND events && ARRAY['*', $2]`,
    [userId, type, JSON.stringify({ type, data })],
  );
}

async function insert(run: Run, { agentId, userId }: Step, id: string): Promise<Moved> {
  const [moved] = await run.rows<Moved>(
    'insert',
    `INSERT INTO deployments (id, agent_id, user_id, status, status_source, replicas, generation, start_generation,
       last_sequence)
     VALUES ($1, $2, $3, 'deploying', 'user', 1, 1, 1, 1) RETURNING id, last_sequence, generation, replicas, status`,
    [id, agentId, userId],
  );
  return moved!;
}

async function move(run: Run, { action, replicas }: Step, id: string): Promise<Moved> {
  await run.send('lock deployment', 'SELECT * FROM deployments WHERE id = $1 FOR UPDATE', [id]);
  const [moved] = await run.rows<Moved>(
    'move',
    `UPDATE deployments SET status = $2, status_source = 'user', replicas = coalesce($3, replicas),
       generation = generation + 1, last_sequence = last_sequence + 1, updated_at = now()
     WHERE id = $1 RETURNING id, last_sequence, generation, replicas, status`,
    [id, STATUSES[action], replicas ?? null],
  );
  return moved!;
}

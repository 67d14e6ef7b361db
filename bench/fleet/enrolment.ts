import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { insertSearched } from '../../src/agents/agent-copies.repository.js';
import { generateKey, visiblePrefix } from '../../src/api-keys/api-key-format.js';
import { vacuumFilled } from './bench-database.js';
import type { Person } from './person.js';
import type { Stage } from './stage.js';

/** An agent's id and the key of its runtime. */
export interface Identity {
  readonly id: string;
  readonly key: string;
}

/** Largest number of agents that is made through the API, one by one. */
const BY_REQUESTS = 500;
const REQUESTS_AT_ONCE = 16;
const ROWS_IN_A_STATEMENT = 5_000;

/** Makes agents for a person: a few through the API as anybody would, many straight in the database. */
export async function enrol(stage: Stage, person: Person, count: number): Promise<Identity[]> {
  return count > BY_REQUESTS ? enrolByStatements(stage, person.id, count) : enrolByRequests(person, count);
}

async function enrolByRequests(person: Person, count: number): Promise<Identity[]> {
  const identities: Identity[] = [];
  let begun = 0;
  async function work(): Promise<void> {
    while (begun < count) {
      const agent = await person.create('/agents', { name: `simulated-${begun++}` });
      identities.push({ id: agent.id, key: agent.api_key });
    }
  }
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, work));
  return identities;
}

/** The same rows that the service writes for an agent; its keys are made by the service's own functions. */
async function enrolByStatements(stage: Stage, userId: string, count: number): Promise<Identity[]> {
  const identities: Identity[] = [];
  while (identities.length < count) {
    const batch = Array.from({ length: Math.min(ROWS_IN_A_STATEMENT, count - identities.length) }, newAgent);
    await stage.query(
      `WITH fresh AS (
         SELECT * FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::bytea[])
           AS agent (id, key_id, key_prefix, secret_hash)
       ), agent AS (
         INSERT INTO agents (id, user_id, name, type, status)
         SELECT id, $1, 'simulated-' || right(id::text, 12), 'custom', 'creating' FROM fresh RETURNING *
       ), version AS (
         INSERT INTO agent_configs (agent_id, config_version, config, actor)
         SELECT id, 1, '{}', 'user:' || $1::uuid FROM fresh
       ), presence AS (
         INSERT INTO agent_presence (agent_id, user_id, assigned_interval_seconds) SELECT id, $1, 30 FROM fresh
       ), search AS (${insertSearched('agent')})
       INSERT INTO api_keys (id, user_id, agent_id, name, key_prefix, secret_hash)
       SELECT key_id, $1, id, 'first key', key_prefix, secret_hash FROM fresh`,
      [
        userId,
        batch.map(({ id }) => id),
        batch.map(({ keyId }) => keyId),
        batch.map(({ prefix }) => prefix),
        batch.map(({ secretHash }) => secretHash),
      ],
    );
    identities.push(...batch.map(({ id, key }) => ({ id, key })));
  }
  await vacuumFilled({ query: stage.query.bind(stage) });
  return identities;
}

function newAgent() {
  const keyId = uuidv7();
  const { key, secret } = generateKey('agent', keyId);
  return {
    id: uuidv7(),
    keyId,
    key,
    prefix: visiblePrefix('agent', keyId),
    secretHash: createHash('sha256').update(secret).digest(),
  };
}

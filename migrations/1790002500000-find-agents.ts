import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which agents a search finds, as a text and as terms. `agents` itself is updated too often to carry these indexes. */
const SEARCH = [
  // Trigrams by hand: the extension pg_trgm is not installable everywhere. The cost keeps PostgreSQL from calling it for
  // each row of a walk before it has tried LIKE.
  `CREATE FUNCTION text_trigrams(value text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000
   AS $$ SELECT ARRAY(SELECT DISTINCT substr(value, first, 3) FROM generate_series(1, length(value) - 2) AS first) $$`,
  `CREATE TABLE agent_search (
    agent_id uuid CONSTRAINT agent_search_pkey PRIMARY KEY
      CONSTRAINT agent_search_agent_id_fkey REFERENCES agents (id) ON DELETE CASCADE,
    user_id uuid NOT NULL,
    name text NOT NULL,
    content text NOT NULL,
    terms text[] NOT NULL
  )`,
  `CREATE FUNCTION keep_agent_search() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF NEW.status = 'deleting' THEN
       DELETE FROM agent_search WHERE agent_id = NEW.id;
       RETURN NULL;
     END IF;
     INSERT INTO agent_search AS search (agent_id, user_id, name, content, terms)
     VALUES (NEW.id, NEW.user_id, lower(NEW.name),
       lower(concat_ws(E'\\n', NEW.name, NEW.description, NEW.type, NEW.hostname)),
       ARRAY[NEW.user_id::text, 'type:' || NEW.type]
         || ARRAY(SELECT 'label:' || key || ':' || value FROM jsonb_each_text(NEW.labels)))
     ON CONFLICT (agent_id) DO UPDATE
       SET name = excluded.name, content = excluded.content, terms = excluded.terms;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER agents_added_to_search AFTER INSERT ON agents
    FOR EACH ROW EXECUTE FUNCTION keep_agent_search()`,
  `CREATE TRIGGER agents_changed_in_search AFTER UPDATE ON agents FOR EACH ROW
    WHEN ((OLD.name, OLD.description, OLD.type, OLD.hostname, OLD.labels, OLD.status = 'deleting')
      IS DISTINCT FROM (NEW.name, NEW.description, NEW.type, NEW.hostname, NEW.labels, NEW.status = 'deleting'))
    EXECUTE FUNCTION keep_agent_search()`,
  `INSERT INTO agent_search (agent_id, user_id, name, content, terms)
   SELECT id, user_id, lower(name), lower(concat_ws(E'\\n', name, description, type, hostname)),
     ARRAY[user_id::text, 'type:' || type]
       || ARRAY(SELECT 'label:' || key || ':' || value FROM jsonb_each_text(labels))
   FROM agents WHERE status <> 'deleting'`,
  'CREATE INDEX agent_search_user_id_agent_id_idx ON agent_search (user_id, agent_id)',
  'CREATE INDEX agent_search_user_id_name_agent_id_idx ON agent_search (user_id, name, agent_id)',
  'CREATE INDEX agent_search_terms_idx ON agent_search USING gin (terms, text_trigrams(content))',
  // ANALYZE would make the trigrams of 30,000 agents, which takes seconds and serves no plan.
  'ALTER INDEX agent_search_terms_idx ALTER COLUMN 2 SET STATISTICS 0',
];

/** The owner beside what is counted for each owner. */
const OWNERS = [
  'ALTER TABLE agent_presence ADD COLUMN user_id uuid',
  'UPDATE agent_presence SET user_id = agent.user_id FROM agents AS agent WHERE agent.id = agent_id',
  'ALTER TABLE agent_presence ALTER COLUMN user_id SET NOT NULL',
  'CREATE INDEX agent_presence_user_id_agent_id_idx ON agent_presence (user_id, agent_id)',
  'ALTER TABLE commands ADD COLUMN user_id uuid',
  'UPDATE commands SET user_id = agent.user_id FROM agents AS agent WHERE agent.id = agent_id',
  'ALTER TABLE commands ALTER COLUMN user_id SET NOT NULL',
  'CREATE INDEX commands_waiting_user_id_created_at_idx ON commands (user_id, created_at) WHERE settled_at IS NULL',
];

const COUNTED = [
  // Without the agents that are being removed, so that counting reads the index alone.
  'DROP INDEX agents_user_id_workload_id_idx',
  `CREATE INDEX agents_user_id_workload_id_idx ON agents (user_id, workload, id) WHERE status <> 'deleting'`,
  `CREATE INDEX deployments_active_user_id_id_idx ON deployments (user_id, id)
    WHERE status IN ('deploying', 'running', 'ready')`,
  `CREATE INDEX deployment_events_failed_user_id_created_at_idx ON deployment_events (user_id, created_at)
    WHERE status = 'failed' AND previous_status <> 'failed'`,
];

const DOWN = [
  'DROP INDEX deployment_events_failed_user_id_created_at_idx',
  'DROP INDEX deployments_active_user_id_id_idx',
  'DROP INDEX agents_user_id_workload_id_idx',
  'CREATE INDEX agents_user_id_workload_id_idx ON agents (user_id, workload, id)',
  'ALTER TABLE commands DROP COLUMN user_id',
  'ALTER TABLE agent_presence DROP COLUMN user_id',
  'DROP TRIGGER agents_changed_in_search ON agents',
  'DROP TRIGGER agents_added_to_search ON agents',
  'DROP FUNCTION keep_agent_search',
  'DROP TABLE agent_search',
  'DROP FUNCTION text_trigrams',
];

export class FindAgents1790002500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...SEARCH, ...OWNERS, ...COUNTED]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

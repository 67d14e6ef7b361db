import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tables whose rows a project owns, and what happens to them when it is deleted. */
const OWNED = {
  agents: '',
  api_keys: 'ON DELETE CASCADE',
  deployments: '',
  user_event_counters: 'ON DELETE CASCADE',
  webhooks: 'ON DELETE CASCADE',
};

/** The foreign keys of owners lead to projects instead of accounts. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  ...Object.entries(OWNED).flatMap(([table, onDelete]) => [
    `ALTER TABLE ${table} DROP CONSTRAINT ${table}_user_id_fkey`,
    `ALTER TABLE ${table} ADD CONSTRAINT ${table}_project_fkey
      FOREIGN KEY (user_id) REFERENCES projects (id) ${onDelete} NOT VALID`,
  ]),
  // The search follows an agent that moves to another project.
  `CREATE OR REPLACE FUNCTION keep_agent_search() RETURNS trigger LANGUAGE plpgsql AS $$
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
       SET user_id = excluded.user_id, name = excluded.name, content = excluded.content, terms = excluded.terms;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER agents_moved_in_search AFTER UPDATE OF user_id ON agents FOR EACH ROW
    WHEN (OLD.user_id <> NEW.user_id) EXECUTE FUNCTION keep_agent_search()`,
];

const down = [
  // The function stays: for the version before it does what its own did.
  'DROP TRIGGER agents_moved_in_search ON agents',
  ...Object.keys(OWNED).flatMap((table) => [
    `ALTER TABLE ${table} DROP CONSTRAINT ${table}_project_fkey`,
    `ALTER TABLE ${table} ADD CONSTRAINT ${table}_user_id_fkey
    FOREIGN KEY (user_id) REFERENCES users (id) ${table === 'webhooks' ? 'ON DELETE CASCADE' : ''}`,
  ]),
];

export class OwnByProjects1790007000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}

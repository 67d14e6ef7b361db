import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The statements that change agents and add accounts write the other tables: an engine that spreads tables over servers has no such triggers. */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  'DROP TRIGGER agents_moved_in_search ON agents',
  'DROP TRIGGER agents_changed_in_search ON agents',
  'DROP TRIGGER agents_added_to_search ON agents',
  'DROP FUNCTION keep_agent_search()',
  'DROP TRIGGER agents_changed_in_presence ON agents',
  'DROP FUNCTION keep_agent_presence()',
  'DROP TRIGGER users_have_a_project ON users',
  'DROP FUNCTION create_personal_project()',
];

const down = [
  `CREATE FUNCTION create_personal_project() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO projects (id, name, is_personal, created_by) VALUES (NEW.id, 'Personal', true, NEW.id)
     ON CONFLICT DO NOTHING;
     INSERT INTO project_members (user_id, project_id, source, role, added_by)
     VALUES (NEW.id, NEW.id, 'direct', 'owner', NEW.id) ON CONFLICT DO NOTHING;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER users_have_a_project AFTER INSERT ON users
    FOR EACH ROW EXECUTE FUNCTION create_personal_project()`,
  `CREATE FUNCTION keep_agent_presence() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF NEW.status = 'deleting' THEN
       DELETE FROM agent_presence WHERE agent_id = NEW.id;
     ELSE
       UPDATE agent_presence SET workload = NEW.workload WHERE agent_id = NEW.id;
     END IF;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER agents_changed_in_presence AFTER UPDATE ON agents FOR EACH ROW
    WHEN ((OLD.workload, OLD.status = 'deleting') IS DISTINCT FROM (NEW.workload, NEW.status = 'deleting'))
    EXECUTE FUNCTION keep_agent_presence()`,
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
       SET user_id = excluded.user_id, name = excluded.name, content = excluded.content, terms = excluded.terms;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER agents_added_to_search AFTER INSERT ON agents
    FOR EACH ROW EXECUTE FUNCTION keep_agent_search()`,
  `CREATE TRIGGER agents_changed_in_search AFTER UPDATE ON agents FOR EACH ROW
    WHEN ((OLD.name, OLD.description, OLD.type, OLD.hostname, OLD.labels, OLD.status = 'deleting')
      IS DISTINCT FROM (NEW.name, NEW.description, NEW.type, NEW.hostname, NEW.labels, NEW.status = 'deleting'))
    EXECUTE FUNCTION keep_agent_search()`,
  `CREATE TRIGGER agents_moved_in_search AFTER UPDATE OF user_id ON agents FOR EACH ROW
    WHEN (OLD.user_id <> NEW.user_id) EXECUTE FUNCTION keep_agent_search()`,
];

export class DropCopyingTriggers1790011600110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}

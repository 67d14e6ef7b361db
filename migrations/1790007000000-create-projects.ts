import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Projects, their members, and the groups of the identity provider that make people members. What an account owned
 * belongs to its personal project, which has the account's id: no row of it is rewritten.
 *
 * The columns `user_id` and `owner_id` of the tables that a project owns hold the project's id. They keep their names for
 * one release: instances of the version before run beside this one.
 */
const up = [
  `SET LOCAL lock_timeout = '2s'`,
  `CREATE TABLE projects (
    id uuid CONSTRAINT projects_pkey PRIMARY KEY,
    name text NOT NULL,
    is_personal boolean NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE TABLE project_members (
    user_id uuid NOT NULL CONSTRAINT project_members_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
    project_id uuid NOT NULL CONSTRAINT project_members_project_id_fkey REFERENCES projects (id) ON DELETE CASCADE,
    source text NOT NULL,
    role text NOT NULL,
    added_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT project_members_pkey PRIMARY KEY (user_id, project_id, source),
    CONSTRAINT project_members_source_check CHECK (source IN ('direct', 'group')),
    CONSTRAINT project_members_role_check CHECK (role IN ('viewer', 'deployer', 'maintainer', 'owner'))
  )`,
  'CREATE INDEX project_members_project_id_user_id_idx ON project_members (project_id, user_id)',
  `CREATE TABLE project_groups (
    project_id uuid NOT NULL CONSTRAINT project_groups_project_id_fkey REFERENCES projects (id) ON DELETE CASCADE,
    group_name text NOT NULL,
    role text NOT NULL,
    CONSTRAINT project_groups_pkey PRIMARY KEY (project_id, group_name),
    CONSTRAINT project_groups_role_check CHECK (role IN ('viewer', 'deployer', 'maintainer', 'owner'))
  )`,
  'CREATE INDEX project_groups_group_name_idx ON project_groups (group_name)',
  // A trigger, so that accounts which the version before creates have their project too.
  `CREATE FUNCTION create_personal_project() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO projects (id, name, is_personal, created_by) VALUES (NEW.id, 'Personal', true, NEW.id);
     INSERT INTO project_members (user_id, project_id, source, role, added_by)
     VALUES (NEW.id, NEW.id, 'direct', 'owner', NEW.id);
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER users_have_a_project AFTER INSERT ON users
    FOR EACH ROW EXECUTE FUNCTION create_personal_project()`,
  `-- rows: one for each account
   INSERT INTO projects (id, name, is_personal, created_by, created_at, updated_at)
   SELECT id, 'Personal', true, id, created_at, created_at FROM users`,
  `-- rows: one for each account
   INSERT INTO project_members (user_id, project_id, source, role, added_by, created_at)
   SELECT id, id, 'direct', 'owner', id, created_at FROM users`,
  'ALTER TABLE agents ADD COLUMN created_by uuid',
  'ALTER TABLE webhooks ADD COLUMN created_by uuid',
  'ALTER TABLE api_keys ADD COLUMN created_by uuid, ADD COLUMN role text',
  `ALTER TABLE api_keys ADD CONSTRAINT api_keys_role_check
    CHECK (role IS NULL OR (role IN ('viewer', 'deployer', 'maintainer', 'owner') AND agent_id IS NULL)) NOT VALID`,
];

const down = [
  'ALTER TABLE api_keys DROP COLUMN role, DROP COLUMN created_by',
  'ALTER TABLE webhooks DROP COLUMN created_by',
  'ALTER TABLE agents DROP COLUMN created_by',
  'DROP TRIGGER users_have_a_project ON users',
  'DROP FUNCTION create_personal_project',
  'DROP TABLE project_groups',
  'DROP TABLE project_members',
  'DROP TABLE projects',
];

export class CreateProjects1790007000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The trigger's function. @param conflict what happens where the statement that adds the account has added the project, too */
const creating = (
  conflict: string,
) => `CREATE OR REPLACE FUNCTION create_personal_project() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO projects (id, name, is_personal, created_by) VALUES (NEW.id, 'Personal', true, NEW.id) ${conflict};
     INSERT INTO project_members (user_id, project_id, source, role, added_by)
     VALUES (NEW.id, NEW.id, 'direct', 'owner', NEW.id) ${conflict};
     RETURN NULL;
   END $$`;

/**
 * The statement that adds an account adds its personal project. The trigger stays for instances of the version before, and adds
 * nothing to what is there.
 */
export class CreateProjectsOnce1790011600100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(creating('ON CONFLICT DO NOTHING'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(creating(''));
  }
}

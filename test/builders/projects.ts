import { randomUUID } from 'node:crypto';
import type { Role } from '../../src/access/roles.js';
import { Database } from '../../src/database/database.js';
import { MembershipsService } from '../../src/projects/memberships.service.js';
import type { MembershipSource } from '../../src/projects/project-member.entity.js';
import type { TestApp } from '../harness/test-app.js';
import { type Person, registerPerson } from './people.js';

type Instance = Pick<TestApp, 'app' | 'database'>;

/** A project that several people can share. @returns its id */
export async function createProject(app: Instance, owner: Person, name = 'shared'): Promise<string> {
  const id = randomUUID();
  await app.database.query(
    'INSERT INTO projects (id, name, is_personal, created_by) VALUES ($1, $2, false, $3)',
    [id, name, owner.id],
  );
  await setMembership(app, id, owner, 'owner');
  return id;
}

/** Makes somebody a member, changes their role, or with null ends the membership. */
export async function setMembership(
  { app, database }: Instance,
  projectId: string,
  person: Pick<Person, 'id'>,
  role: Role | null,
  source: MembershipSource = 'direct',
): Promise<void> {
  await database.query(
    role === null
      ? 'DELETE FROM project_members WHERE user_id = $1 AND project_id = $2 AND source = $3'
      : `INSERT INTO project_members (user_id, project_id, source, role) VALUES ($1, $2, $3, '${role}')
         ON CONFLICT (user_id, project_id, source) DO UPDATE SET role = excluded.role`,
    [person.id, projectId, source],
  );
  await app.get(Database).people.transaction((tx) => app.get(MembershipsService).changed(tx, [person.id]));
}

/** A new person who is a member of the project. */
export async function registerMember(
  app: Instance & Pick<TestApp, 'api'>,
  projectId: string,
  role: Role,
  source?: MembershipSource,
): Promise<Person> {
  const person = await registerPerson(app);
  await setMembership(app, projectId, person, role, source);
  return person;
}

/** A key of the project itself. @returns the key */
export async function createProjectKey(
  maker: Person,
  projectId: string,
  role: Role,
  scopes?: readonly string[],
): Promise<string> {
  const reply = await maker.api.post('/api-keys', {
    name: `ci ${role}`,
    project_id: projectId,
    role,
    scopes,
  });
  if (reply.status !== 201)
    throw new Error(`POST /api-keys answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply.body.key;
}

import type { Role } from '../../src/access/roles.js';
import { Database } from '../../src/database/database.js';
import { MembershipsService } from '../../src/projects/memberships.service.js';
import type { MembershipSource } from '../../src/projects/project-member.entity.js';
import type { TestApp } from '../harness/test-app.js';
import { type Person, registerPerson } from './people.js';

type Instance = Pick<TestApp, 'app' | 'database'>;

/** A project that several people can share. @returns its id */
export async function createProject(owner: Person, name = 'Invoices'): Promise<string> {
  const { status, body } = await owner.api.post('/projects', { name });
  if (status !== 201) throw new Error(`POST /projects answered ${status}: ${JSON.stringify(body)}`);
  return body.id;
}

/** Makes a person a member of a project by its route; by default a new person. */
export async function addMember(
  app: Pick<TestApp, 'api'>,
  owner: Person,
  projectId: string,
  role: Role,
  person?: Person,
): Promise<Person> {
  const member = person ?? (await registerPerson(app));
  const order = { email: member.email, role };
  const { status, body } = await owner.api.post(`/projects/${projectId}/members`, order);
  if (status !== 201) throw new Error(`The member was refused with ${status}: ${JSON.stringify(body)}`);
  return member;
}

/** Makes a person a member, changes their role, or with null ends the membership; without an owner who does it. */
export async function setMembership(
  { app, database }: Instance,
  projectId: string,
  person: Pick<Person, 'id'>,
  role: Role | null,
  source: MembershipSource = 'direct',
): Promise<void> {
  const key = [person.id, projectId, source];
  const isByGroup = source === 'group';
  if (role === null) {
    const end = 'DELETE FROM project_members WHERE user_id = $1 AND project_id = $2 AND source = $3';
    await database.query(end, key);
  } else {
    if (isByGroup) await database.query(GROUP, [projectId, role]);
    await database.query(MEMBERSHIP, [...key, role, isByGroup]);
  }
  await app.get(Database).people.transaction((tx) => app.get(MembershipsService).changed(tx, [person.id]));
}

const GROUP = `INSERT INTO project_groups (project_id, group_name, role) VALUES ($1, 'each ' || $2, $2)
  ON CONFLICT DO NOTHING`;
const MEMBERSHIP = `INSERT INTO project_members (user_id, project_id, source, role, group_name, expires_at)
  VALUES ($1, $2, $3, $4, CASE WHEN $5 THEN 'each ' || $4 END, CASE WHEN $5 THEN now() + interval '30 minutes' END)
  ON CONFLICT (user_id, project_id, source) DO UPDATE SET role = excluded.role, group_name = excluded.group_name`;

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

import type { Role } from '../../src/access/roles.js';
import type { TestApp } from '../harness/test-app.js';
import { type Person, registerPerson } from './people.js';

/** Creates a project by its route. @returns its id */
export async function openProject(owner: Person, name = 'Invoices'): Promise<string> {
  const { status, body } = await owner.api.post('/projects', { name });
  if (status !== 201) throw new Error(`POST /projects answered ${status}: ${JSON.stringify(body)}`);
  return body.id;
}

/** Makes a person a member of a project by its route; by default somebody new. */
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

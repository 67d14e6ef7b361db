import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import type { Outcome } from './running-svc.js';
import { Svc } from './svc.js';

let app: TestApp;
const homes: Svc[] = [];

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(async () => {
  await Promise.all(homes.map((svc) => svc.removeHome()));
  await app.close();
});

/** A person at a machine of their own, where `svc` runs as a process for each command. */
class Colleague {
  constructor(
    readonly person: Person,
    private readonly svc: Svc,
  ) {}

  static async join(): Promise<Colleague> {
    const person = await registerPerson(app);
    const svc = await Svc.loggedIn(app.url, person.email);
    homes.push(svc);
    return new Colleague(person, svc);
  }

  run(...args: string[]): Promise<Outcome> {
    return this.svc.startProcess(args).ended();
  }

  async does(...args: string[]): Promise<any> {
    return succeeded(await this.run(...args, '--output', 'json'));
  }
}

function succeeded({ code, stdout, stderr }: Outcome): any {
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

describe('A project of a team', () => {
  it('is deployed to by a deployer who deletes nothing, and by the key of CI after both have left', async () => {
    const [ada, grace, heir] = [await Colleague.join(), await Colleague.join(), await Colleague.join()];
    await ada.does('projects', 'create', 'payments');
    const agent = await ada.does('agents', 'create', '--name', 'reader', '--project', 'payments');
    await ada.does('projects', 'add', 'payments', grace.person.email, '--role', 'deployer');

    const first = await grace.does('agents', 'deploy', 'reader', '--project', 'payments');
    expect(first).toMatchObject({ agent_id: agent.id, project_id: agent.project_id });
    const refused = await grace.run('agents', 'delete', 'reader', '--yes');
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(
      /^Error: Missing role: maintainer: an owner of the project gives it[^\n]*\n$/,
    );
    expect(await ada.does('agents', 'status', 'reader')).toMatchObject({ id: agent.id });

    const asked = ['--name', 'ci', '--project', 'payments', '--role', 'deployer'];
    const ci = await ada.does('api-keys', 'create', ...asked);
    await ada.does('projects', 'add', 'payments', heir.person.email, '--role', 'owner');
    for (const { does, person } of [grace, ada].map((it) => ({
      does: it.does.bind(it),
      person: it.person,
    }))) {
      expect(await does('projects', 'remove', 'payments', person.email, '--yes')).toEqual({
        removed: person.id,
      });
      expect(await does('agents', 'list')).toEqual([]);
    }

    const machine = await Svc.at(app.url);
    homes.push(machine);
    const deploys = ['agents', 'deploy', 'reader', '--replace', '--output', 'json'];
    const second = succeeded(
      await machine.startProcess(deploys, { env: { SERVICE_API_KEY: ci.key } }).ended(),
    );
    expect(second.id).not.toBe(first.id);
    const { items } = await heir.does('deploy', 'events', second.id);
    expect(items.at(-1)).toMatchObject({ event_type: 'deploy', actor: `key:${ci.id}` });
  });
});

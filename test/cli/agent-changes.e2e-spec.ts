import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAgent, deploy, obey, poll, report } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { ServiceRelay, type Verdict } from '../harness/service-relay.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { Svc } from './svc.js';

let app: TestApp;
let ada: Person;
let svc: Svc;

beforeAll(async () => {
  app = await startTestApp();
  ada = await registerPerson(app);
  svc = await Svc.loggedIn(app.url, ada.email);
});

afterAll(async () => {
  await svc.removeHome();
  await app.close();
});

describe('svc agents update, configs and diff', () => {
  it('save versions, list them, and show their differences without secrets', async () => {
    const config = { command: ['a'], env: { TOKEN: 'hush' } };
    const agent = await createAgent(app, ada, { name: 'changed', config });
    const later = JSON.stringify({ command: ['b'], env: { TOKEN: 'quiet' } });
    const updated = await svc.json(['agents', 'update', 'changed', '--config', later, '--label', 'team=x']);
    expect(updated).toMatchObject({ config_version: 2, labels: { team: 'x' } });
    expect(JSON.parse(updated.config)).toEqual({ command: ['b'], env: { TOKEN: { secret: true } } });
    await svc.succeeds(['agents', 'update', 'changed', '--label', 'env=y', '--remove-label', 'team']);
    expect((await ada.api.get(`/agents/${agent.id}`)).body.labels).toEqual({ env: 'y' });

    const versions = await svc.json(['agents', 'configs', 'changed']);
    expect(versions.map((it: { config_version: number }) => it.config_version)).toEqual([2, 1]);
    const diff = await svc.succeeds(['agents', 'diff', 'changed']);
    expect(diff).toContain('+    "b"');
    expect((await svc.run(['agents', 'diff', 'changed'])).stderr).toContain(
      'Masked values were not compared',
    );
    for (const shown of [diff, await svc.succeeds(['agents', 'configs', 'changed', '2'])]) {
      expect(shown).not.toMatch(/hush|quiet/);
    }
    expect(await svc.succeeds(['agents', 'status', 'changed'])).not.toContain('quiet');
    expect(await svc.succeeds(['agents', 'diff', 'changed', '1', '2', '--reveal'])).toContain('quiet');
    expect(await svc.succeeds(['agents', 'configs', 'changed', '1', '--reveal'])).toContain('hush');
    expect((await svc.json(['agents', 'status', 'changed', '--reveal'])).config).toBe(later);
    expect((await svc.run(['agents', 'configs', 'changed', '--reveal'])).code).toBe(2);
    const entries = (await ada.api.get(`/audit?action=agent.reveal&target_id=${agent.id}`)).body;
    expect(entries.map((it: any) => it.details.config_version).sort()).toEqual([1, 1, 2, 2]);
  });

  it('lose no secret when a config that was read is saved again, and keep one by {"secret": true}', async () => {
    const env = { TOKEN: 'hush', SEALED: { secret: 'never' }, LEVEL: 'info' };
    const agent = await createAgent(app, ada, { name: 'exported', config: { command: ['a'], env } });
    const file = join(svc.home, 'exported.json');
    await writeFile(file, (await svc.json(['agents', 'status', 'exported'])).config);
    expect(await svc.json(['agents', 'update', 'exported', '--config', `@${file}`])).toMatchObject({
      config_version: 1,
    });
    const kept = { command: ['b'], env: { TOKEN: { secret: true }, SEALED: { secret: true } } };
    await svc.json(['agents', 'update', 'exported', '--config', JSON.stringify(kept)]);
    await deploy(ada, agent);
    const [command] = await poll(agent);
    expect(JSON.parse(String(command!.parameters.config))).toEqual({
      command: ['b'],
      env: { TOKEN: 'hush', SEALED: 'never' },
    });
  });

  it('keep a config that another person saves meanwhile, and name the command to see it', async () => {
    const agent = await createAgent(app, ada, { name: 'raced', config: '{"n": 1}' });
    const relay = await ServiceRelay.start(app.url);
    const update = (...args: string[]) =>
      svc.run(['agents', 'update', 'raced', ...args], {
        env: { SERVICE_API_URL: relay.url, SERVICE_API_KEY: ada.accessToken },
      });
    let others = '{"n": 2}';
    relay.decide(async ({ method }): Promise<Verdict> => {
      if (method === 'PATCH') await ada.api.patch(`/agents/${agent.id}`, { config: others });
      return 'pass';
    });
    try {
      const outcome = await update('--config', '{"n": 9}');
      expect(outcome).toMatchObject({ code: 1, stdout: '' });
      expect(outcome.stderr).toMatch(/^Error: The newest config version is 2.*see it with "svc agents diff"/);
      expect((await ada.api.get(`/agents/${agent.id}`)).body).toMatchObject({ config: others });

      // a change of what is no part of the config is not refused for it
      others = '{"n": 3}';
      expect(await update('--description', 'new')).toMatchObject({ code: 0 });
      relay.reset();
      const stale = await update('--config', '{"n": 9}', '--from-version', '2');
      expect([stale.code, stale.stderr]).toEqual([1, expect.stringContaining('and If-Match names 2')]);
      expect(await update('--config', '{"n": 9}', '--from-version', '3')).toMatchObject({ code: 0 });
    } finally {
      await relay.close();
    }
  });

  it('refuse the version of a config without the config', async () => {
    const outcome = await svc.run(['agents', 'update', 'raced', '--name', 'x', '--from-version', '2']);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toContain('give --config, too');
  });

  it('name a misspelled key of a config', async () => {
    await createAgent(app, ada, { name: 'misspelled' });
    const outcome = await svc.run(['agents', 'update', 'misspelled', '--config', '{"comand": ["x"]}']);
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toContain('did you mean "command"?');
  });
});

describe('svc deploy', () => {
  it('replaces the active deployment with an older version, and stops one deployment', async () => {
    const agent = await createAgent(app, ada, { name: 'rolled back', config: '{"n": 1}' });
    await svc.succeeds(['agents', 'update', 'rolled back', '--config', '{"n": 2}']);
    const old = await deploy(ada, agent);
    await obey(agent);
    const fresh = await svc.json([
      ...['deploy', 'create', '--agent-id', 'rolled back', '--config-version', '1', '--replace'],
    ]);
    expect(fresh).toMatchObject({ config_version: 1, status: 'deploying' });
    await obey(agent);
    await report(agent, fresh.id, { status: 'ready' });
    expect((await ada.api.get(`/deployments/${old}`)).body.status).toBe('stopped');
    expect(await svc.json(['deploy', 'stop', fresh.id, '--yes'])).toMatchObject({ status: 'stopped' });
    expect((await svc.run(['deploy', 'stop', fresh.id, '--yes'])).stderr).toContain(
      'Can only stop active deployments',
    );
  });
});

describe('svc apply', () => {
  it('creates, changes and deploys the differences, and does nothing in a dry run', async () => {
    const file = join(svc.home, 'svc.yaml');
    const yaml = (command: string) =>
      `agents:\n  - name: applied\n    labels: {team: x}\n    config: {command: [${command}]}\n    replicas: 1\n`;
    await writeFile(file, yaml('a'));
    expect(await svc.succeeds(['apply', '-f', file, '--dry-run'])).toContain('+ applied: is created');
    expect((await ada.api.get('/agents?limit=100')).body.map((it: any) => it.name)).not.toContain('applied');

    const [created] = await svc.json(['apply', '-f', file]);
    expect(created).toMatchObject({ name: 'applied', config_version: 1, deployment_id: expect.any(String) });
    expect(await svc.json(['apply', '-f', file])).toEqual([]);
    await writeFile(file, yaml('b'));
    expect(await svc.succeeds(['apply', '-f', file, '--dry-run'])).toContain('+    "b"');
    expect(await svc.json(['apply', '-f', file, '--dry-run'])).toEqual([
      {
        agent_id: created.agent_id,
        name: 'applied',
        change: { config: '{"command":["b"]}' },
        deploys: true,
        scales_to: null,
      },
    ]);
    const [changed] = await svc.json(['apply', '-f', file]);
    expect(changed).toMatchObject({ agent_id: created.agent_id, config_version: 2 });
    const { labels, deployments } = (await ada.api.get(`/agents/${created.agent_id}`)).body;
    expect(labels).toEqual({ team: 'x' });
    expect(deployments.map((it: any) => it.config_version)).toEqual([2, 1]);
    expect((await svc.run(['apply', '-f', file, '--timeout', 'x'])).code).toBe(2);
  });

  it('compares secrets where the service masks them, and shows none of the file', async () => {
    const file = join(svc.home, 'secret.yaml');
    const yaml = (token: string) =>
      `agents:\n  - name: sealed\n    config: {command: [a], env: {TOKEN: ${token}, LEVEL: info}}\n    replicas: 1\n`;
    await writeFile(file, yaml('hush-1'));
    const [created] = await svc.json(['apply', '-f', file]);
    for (const token of ['hush-1', '{secret: true}']) {
      await writeFile(file, yaml(token));
      expect(await svc.json(['apply', '-f', file])).toEqual([]);
    }
    await writeFile(file, yaml('hush-2'));
    const dry = await svc.succeeds(['apply', '-f', file, '--dry-run']);
    expect(dry).toContain('~ sealed: may change');
    expect(dry).not.toContain('hush');
    const revealed = await svc.succeeds(['apply', '-f', file, '--dry-run', '--reveal']);
    expect(revealed).toContain('-    "TOKEN": "hush-1"');
    const [changed] = await svc.json(['apply', '-f', file]);
    expect(changed).toMatchObject({ config_version: 2, deployment_id: expect.any(String) });
    expect(changed.deployment_id).not.toBe(created.deployment_id);
    await writeFile(file, yaml('hush-3').replace('info', 'debug'));
    const both = await svc.succeeds(['apply', '-f', file, '--dry-run']);
    expect(both).toContain('+    "TOKEN": "*** (may have changed)"');
    expect(both).not.toContain('hush');
  });
});

import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../bench/fleet/free-port.js';
import { runAudit } from '../audit/run-audit.js';
import { type Person, registerPerson } from '../builders/people.js';
import { type ChildService, startChildService } from '../harness/child-service.js';
import { expectError } from '../harness/error-shape.js';
import { EventStream } from '../harness/event-stream.js';
import { expectNoSecretIn } from '../harness/secrets-made.js';
import { until } from '../harness/until.js';
import { FleetMember } from './fleet.js';

const run = promisify(execFile);

let base: string;
let port: string;
let service: ChildService;
let person: Person;
let fleet: FleetMember[];

/** Starts the service on an embedded PostgreSQL, at the address of the fleet. */
async function start(dataDir: string): Promise<ChildService> {
  const started = await startChildService({ DATA_DIR: dataDir, PORT: port, HEARTBEAT_INTERVAL_SECONDS: '1' });
  await until(async () => (await started.api.get('/ready')).status === 200, 120_000);
  return started;
}

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'acp-backup-'));
  // for root, PostgreSQL runs as another user, who has to enter
  await chmod(base, 0o711);
  port = String(await freePort());
  service = await start(join(base, 'data'));
  person = await registerPerson(service);
  fleet = await Promise.all([1, 2, 3].map(() => FleetMember.start(service, person)));
});

afterAll(async () => {
  await Promise.all(fleet.map((member) => member.stop()));
  await service.end('SIGTERM');
  await rm(base, { recursive: true });
});

/** Creates agents and sends logs, one after the other, until its end; keeps the acknowledged ones. */
class Writer {
  readonly agents: string[] = [];
  readonly messages: string[] = [];
  private isOver = false;
  private readonly writing = this.write();

  async end(): Promise<void> {
    this.isOver = true;
    await this.writing;
  }

  private async write(): Promise<void> {
    for (let count = 1; !this.isOver; count++) {
      const created = await person.api.post('/agents', { name: `written-${count}` });
      if (created.status === 201) this.agents.push(created.body.id);
      const log = { level: 'info', message: `line ${count}` };
      const sent = await fleet[0]!.agent.runtime.post('/agents/logs', log);
      if (sent.status === 200) this.messages.push(log.message);
    }
  }
}

/** The position after all events of a stream. */
async function positionIn(path: string): Promise<string> {
  const stream = await EventStream.open(service.url, path, { credential: person.accessToken });
  await until(() => stream.lastEventId !== '');
  stream.close();
  return stream.lastEventId;
}

async function resume(path: string, from: string): Promise<EventStream> {
  const headers = { 'last-event-id': from };
  return EventStream.open(service.url, path, { credential: person.accessToken, headers });
}

it('A backup holds all data that was acknowledged before it, and after its restore the fleet continues and later positions are refused', async () => {
  const [scaled, restarted, deployedAgain] = fleet as [FleetMember, FleetMember, FleetMember];
  const [first, second, third] = await Promise.all(fleet.map((member) => member.deploy()));
  const logs = `/agents/${scaled.agent.id}/logs/stream`;
  const writer = new Writer();
  await until(() => writer.messages.length >= 20);
  const before = { events: await positionIn('/events/stream'), logs: await positionIn(logs) };
  await scaled.scale(first!, 2);
  const acknowledged = { agents: [...writer.agents], messages: [...writer.messages] };

  const { stdout, stderr } = await run(process.execPath, ['scripts/backup.mjs', join(base, 'backup')], {
    env: { PATH: process.env.PATH, DATA_DIR: join(base, 'data') },
  });
  expectNoSecretIn('the output of the backup', stdout + stderr);

  // changes after the backup, which it does not contain
  const written = writer.agents.length;
  await until(() => writer.agents.length >= written + 5);
  await writer.end();
  await scaled.scale(first!, 3);
  await scaled.scale(first!, 4);
  await restarted.restart(second!);
  const lost = await deployedAgain.deploy();
  const after = { events: await positionIn('/events/stream'), logs: await positionIn(logs) };
  await service.end('SIGTERM');

  await run('cp', ['-a', join(base, 'backup'), join(base, 'restored')]);
  service = await start(join(base, 'restored'));

  for (const id of acknowledged.agents) expect((await person.api.get(`/agents/${id}`)).status).toBe(200);
  const { body: kept } = await person.api.get(`/agents/${scaled.agent.id}/logs?limit=500`);
  expect(kept.map(({ message }: any) => message)).toEqual(expect.arrayContaining(acknowledged.messages));

  expectError(await person.api.get(`/events?after=${after.events}`), 422);
  expect((await resume('/events/stream', after.events)).status).toBe(422);
  expect((await resume(logs, after.logs)).status).toBe(422);
  const resumed = await resume('/events/stream', before.events);
  const [next] = await resumed.has(1);
  expect(next).toMatchObject({ user_sequence: Number(before.events) + 1, event_type: 'scale' });
  resumed.close();

  expect((await person.api.get(`/deployments/${lost}`)).status).toBe(404);
  await scaled.scale(first!, 1);
  await restarted.scale(second!, 2);
  await deployedAgain.scale(third!, 2);
});

it('The audit finds the embedded database while its service runs, and otherwise exits with a message', async () => {
  const audited = (folder: string) => runAudit({ DATA_DIR: join(base, folder) });
  expect(await audited('restored')).toEqual({
    code: 0,
    output: expect.stringContaining('a service has been connected for'),
    errors: '',
  });
  await service.end('SIGTERM');
  const none = `DATA_DIR ${join(base, 'none')} has no embedded database: set DATABASE_URL, or set DATA_DIR to the service's\n`;
  expect(await audited('none')).toEqual({ code: 2, output: '', errors: none });
  const away = `The embedded database of DATA_DIR ${join(base, 'restored')} is not running: start the service first (npm start)\n`;
  expect(await audited('restored')).toEqual({ code: 2, output: '', errors: away });
});

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { ask, eventsOf, readRun } from '../builders/runs.js';
import { printedBy } from '../harness/secrets-made.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';

const hasCurl = spawnSync('curl', ['--version']).status === 0;
/** The agent starts dozens of processes for each report, which takes a busy machine more than half a minute. */
const PATIENCE_MS = 110_000;
/** Does what the input says, which has no quotes. */
const RUN_COMMAND = `sh -c "$(awk -f examples/curl-agent/flatten-json.awk | sed -n 's/^\\.runs\\.0\\.input.//p')"`;

(hasCurl ? describe : describe.skip)('A run of the curl agent (skipped without curl)', () => {
  let app: TestApp;
  let person: Person;
  let agent: TestAgent;
  let state: string;
  let child: ChildProcess;
  const agents: ChildProcess[] = [];

  /** @param programs folder of programs that are taken instead of the system's */
  const start = (key = agent.key, kept = 'kept', programs?: string) => {
    const PATH = [...(programs ? [programs] : []), process.env.PATH].join(':');
    const keys = { SERVICE_API_URL: app.url, SERVICE_AGENT_KEY: key };
    const env = { PATH, TMPDIR: state, STATE_DIRECTORY: join(state, kept), RUN_COMMAND, ...keys };
    const started = spawn('sh', ['examples/curl-agent/agent.sh'], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    printedBy('the output of the agent in shell', started);
    agents.push(started);
    return started;
  };
  const becomes = (id: string, status: string) =>
    until(async () => {
      const run = await readRun(person, id);
      return run.status === status && run;
    }, PATIENCE_MS);
  const marks = async () => (await readdir(state)).filter((name) => name.startsWith('mark'));

  beforeAll(async () => {
    app = await startTestApp({
      settings: { HEARTBEAT_INTERVAL_SECONDS: '1', HEARTBEAT_TIMEOUT_SECONDS: '60' },
    });
    person = await registerPerson(app);
    agent = await createAgent(app, person);
    state = await mkdtemp(join(tmpdir(), 'curl-agent-runs-'));
    child = start();
    await deploy(person, agent);
  });

  afterAll(async () => {
    const live = agents.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    for (const { pid } of live) process.kill(-pid!, 'SIGKILL');
    await app.close();
    await rm(state, { recursive: true, force: true, maxRetries: 10 });
  });

  it("has the command's output, as JSON or text", async () => {
    const json = await ask(person, agent, { input: 'echo [1,2]' });
    expect(await becomes(json.id, 'succeeded')).toMatchObject({ output: [1, 2], attempt: 1 });
    const text = await ask(person, agent, { input: 'echo two; echo lines' });
    expect(await becomes(text.id, 'succeeded')).toMatchObject({ output: 'two lines' });
  });

  it('fails with the command, and where the service does not take the output', async () => {
    const failing = await ask(person, agent, { input: 'exit 3' });
    expect(await becomes(failing.id, 'failed')).toMatchObject({ error: 'the command failed' });
    const large = await ask(person, agent, { input: 'yes x | head -c 300000' });
    expect(await becomes(large.id, 'failed')).toMatchObject({ error: 'the service refuses its output' });
  });

  it('is tried again in an attempt of its own', async () => {
    const body = {
      input: `test -e ${state}/again && echo 2`,
      retry: { max_attempts: 2, first_delay_seconds: 3 },
    };
    const { id } = await ask(person, agent, body);
    await until(async () => {
      const { status, attempt } = await readRun(person, id);
      return status === 'queued' && attempt === 1;
    });
    await writeFile(join(state, 'again'), '');
    expect(await becomes(id, 'succeeded')).toMatchObject({ output: 2, attempt: 2 });
  });

  it('keeps its lease while it runs, and ends with its children when it is cancelled', async () => {
    const { id } = await ask(person, agent, { input: `sleep 300 && touch ${state}/mark` });
    await becomes(id, 'running');
    const { last_seen_at: before } = await readRun(person, id);
    await until(async () => String((await readRun(person, id)).last_seen_at) > String(before));
    await person.api.post(`/runs/${id}/cancel`);
    await becomes(id, 'cancelled');
    expect(await marks()).toEqual([]);
  });

  it('ends with the agent, which reports it before its last heartbeat', async () => {
    const { id } = await ask(person, agent, { input: 'sleep 300' });
    await becomes(id, 'running');
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
    expect(await readRun(person, id)).toMatchObject({ status: 'failed' });
    child = start();
    const next = await ask(person, agent, { input: 'echo 1' });
    await becomes(next.id, 'succeeded');
  });

  it('is not waited for when the agent is stopped just before it asks for one', async () => {
    const programs = join(state, 'programs');
    await mkdir(programs);
    const written = (name: string, text: string) =>
      writeFile(join(programs, name), `#!/bin/sh\nPATH='${process.env.PATH}'\n${text}\nexec ${name} "$@"\n`, {
        mode: 0o755,
      });
    // the key of a request for a run is made, slowly, until the agent ends
    const isEnding = `[ -e ${state}/tmp.*/ending ]`;
    await written(
      'od',
      `case $* in *-N16*) : >${state}/asks; until ${isEnding}; do sleep 0.1; done; sleep 1 ;; esac`,
    );
    // that request is never answered
    await written('curl', 'case $* in *claim*) exec sleep 600 ;; esac');
    const { key } = await createAgent(app, person);
    const told = start(key, 'told', programs);
    await until(async () => (await readdir(state)).includes('asks'));
    told.kill('SIGTERM');
    await until(() => told.exitCode === 0, PATIENCE_MS);
  });

  it('is abandoned when the agent was killed, and its work is not begun again', async () => {
    const { id } = await ask(person, agent, { input: `touch ${state}/mark-$$; sleep 300` });
    await until(async () => (await marks()).length === 1);
    const ended = once(child, 'exit');
    process.kill(-child.pid!, 'SIGKILL');
    await ended;
    child = start();
    await becomes(id, 'abandoned');
    expect(await eventsOf(person, id)).toEqual(['queued', 'started', 'abandoned']);
    expect(await marks()).toHaveLength(1);
  });
});

import { acknowledge, createAgent, deploy, obey, poll, report, type TestAgent } from '../builders/agents.js';
import { askApproval, decided, fetchAnswer, workingOn } from '../builders/approvals.js';
import { type Person, registerOperator, registerPerson } from '../builders/people.js';
import { pause, pauseAll, resume } from '../builders/pauses.js';
import { createProject, setMembership } from '../builders/projects.js';
import { ask, claim, createWorker, tell } from '../builders/runs.js';
import { tokenUsage } from '../builders/token-metrics.js';
import { exportLoop, exportSpans, llmSpan } from '../builders/traces.js';
import { AuthenticatorApp } from '../builders/second-factors.js';
import { createWebhook, settled, WEBHOOK_SETTINGS } from '../builders/webhooks.js';
import { startTestApp, type TestApp, type TestAppOptions } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { WebhookReceiver } from '../harness/webhook-receiver.js';

/** A service whose tables all have rows. */
export interface Story {
  readonly app: TestApp;
  close(): Promise<void>;
}

/**
 * Plays the operations of people and agents, until every table has rows and every kind of step was taken.
 *
 * @param options absent: a separate database
 */
export async function playStory(options: TestAppOptions = {}): Promise<Story> {
  const app = await startTestApp({ ...options, settings: { ...WEBHOOK_SETTINGS, ...options.settings } });
  const receiver = await WebhookReceiver.start();
  const person = await registerOperator(app);
  await person.api.post(`/users/${(await registerPerson(app)).id}/password-reset`);
  // Without a provider: this row is all that a single sign-on leaves in the table.
  await app.database.query(
    `INSERT INTO identities (issuer, subject, user_id) VALUES ('https://id.example.com', 'ada', $1)`,
    [person.id],
  );
  const project = await createProject(person);
  await person.api.patch(`/projects/${project}/limits`, { agents: 100 });
  await setMembership(app, project, person, 'viewer', 'group');
  const webhook = await createWebhook(person, receiver.url);
  await wholeLife(app, person);
  await loseAndRecover(app, person);
  await doWork(app, person);
  await leaveWorkQueued(app, person);
  await pauseAndResume(app, person);
  await askPeople(app, person);
  await removeOne(app, person);
  await addFactor(person);
  // The read numbers the events.
  await person.api.get('/events');
  await app.api.post('/newsletter', { email: 'reader@example.com' });
  await settled(person, webhook.id);
  return {
    app,
    async close() {
      await receiver.close();
      await app.close();
    },
  };
}

/** A confirmed second factor, its recovery codes, and a question that waits for its answer. */
async function addFactor(person: Person): Promise<void> {
  const { id, secret } = (await person.api.post('/auth/factors/totp', { name: 'My phone' })).body;
  const code = new AuthenticatorApp(secret).at(Date.now());
  await person.api.post(`/auth/factors/${id}/confirm`, { code });
  await person.api.post('/auth/step-up/options');
}

async function wholeLife(app: TestApp, person: Person): Promise<void> {
  const agent = await createAgent(app, person, { name: 'whole life' });
  const id = await deploy(person, agent);
  await obey(agent);
  await report(agent, id, { status: 'ready', ready_replicas: 1 });
  await person.api.post(`/deployments/${id}/scale`, { replicas: 2 });
  await obey(agent);
  await report(agent, id, { status: 'ready', ready_replicas: 2 });
  await note(person, id);
  await person.api.post(`/agents/${agent.id}/stop`);
  await obey(agent);
  await person.api.post(`/deployments/${id}/restart`);
  await obey(agent);
  await sendTelemetry(agent);
}

/** One pause that has ended, and one that holds an agent of which a scale is withheld. */
async function pauseAndResume(app: TestApp, person: Person): Promise<void> {
  const agent = await createWorker(app, person, { name: 'paused' });
  await pause(person, agent);
  await obey(agent);
  await resume(person, agent);
  await obey(agent);
  await pauseAll(person, { type: 'paused' });
  await person.api.patch(`/agents/${agent.id}`, { type: 'paused' });
  await pauseAll(person, { type: 'paused' });
  await person.api.post(`/deployments/${agent.deploymentId}/scale`, { replicas: 2 });
}

/** One question that is answered, one that waits, and one of a run that has ended. */
async function askPeople(app: TestApp, person: Person): Promise<void> {
  const { worker, runId } = await workingOn(app, person, { name: 'asking' });
  const asked = await askApproval(worker, { run_id: runId });
  await decided(person, asked);
  await fetchAnswer(worker, asked.id);
  await askApproval(worker, { run_id: runId });
  const other = await ask(person, worker);
  await claim(worker);
  await askApproval(worker, { run_id: other.id });
  await tell(worker, { run_id: other.id, status: 'succeeded' });
}

/** One run that has ended, one that is under way, and one of a schedule. */
async function doWork(app: TestApp, person: Person): Promise<void> {
  const worker = await createWorker(app, person, { name: 'worker' });
  const done = await ask(person, worker);
  await ask(person, worker);
  await claim(worker, { limit: 2 });
  const limit = { period: 'run', limit: { llm_calls: 1 } };
  await person.api.post('/budgets', { ...limit, name: 'one call', agent_id: worker.id });
  await exportSpans(worker, [llmSpan({ attributes: { 'agent_control_plane.run_id': done.id } })]);
  await person.api.patch(`/agents/${worker.id}`, { capture: 'all', usage_from: 'spans' });
  await exportLoop(worker, done.id);
  // The budget and its run are reported one after the other, and a run that has ended is not
  // reported.
  await until(async () => (await app.database.query('SELECT FROM budget_runs')).length > 0);
  await tell(worker, { run_id: done.id, status: 'succeeded', output: 42 });
  const schedule = await person.api.post(`/agents/${worker.id}/schedules`, { cron: '0 0 1 1 *' });
  await person.api.post(`/schedules/${schedule.body.id}/trigger`);
}

/** Reports an event for which the state machine has no step. */
const note = (person: Person, id: string) =>
  person.api.post('/webhooks/deployment', { deployment_id: id, event: 'image_pulled' });

async function sendTelemetry(agent: TestAgent): Promise<void> {
  const headers = { 'Idempotency-Key': 'a batch' };
  await agent.runtime.post('/agents/logs', { level: 'info', message: 'hello' }, { headers });
  await agent.runtime.post('/agents/metrics', { cpu_usage: 1 });
  await agent.runtime.post('/otlp/v1/metrics', tokenUsage([{ tokens: 10, calls: 1, at: 60 }]));
}

/** A loss in the monitor's history: silence takes minutes, so the loss is a failed command here. */
async function loseAndRecover(app: TestApp, person: Person): Promise<void> {
  const agent = await createAgent(app, person, { name: 'breaks' });
  const id = await deploy(person, agent);
  const [command] = await poll(agent);
  await acknowledge(agent, command!.command_id, { success: false, error: 'no such image' });
  await person.api.post(`/deployments/${id}/restart`, undefined, {
    headers: { 'Idempotency-Key': 'a restart' },
  });
  await obey(agent);
  await person.api.delete(`/deployments/${id}`);
}

async function leaveWorkQueued(app: TestApp, person: Person): Promise<void> {
  const agent = await createAgent(app, person, { name: 'has work' });
  const id = await deploy(person, agent);
  await obey(agent);
  await person.api.post(`/deployments/${id}/scale`, { replicas: 3 });
  await poll(agent);
  await person.api.post(`/deployments/${id}/scale`, { replicas: 4 });
}

async function removeOne(app: TestApp, person: Person): Promise<void> {
  const agent = await createAgent(app, person, { name: 'removed', labels: { team: 'gone' } });
  await deploy(person, agent);
  await agent.runtime.post('/agents/logs', { level: 'info', message: 'last words' });
  await person.api.delete(`/agents/${agent.id}`);
}

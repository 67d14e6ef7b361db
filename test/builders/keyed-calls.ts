import type { ApiClient } from '../harness/api-client.js';
import { stageDeployment } from '../harness/deployment-states.js';
import type { TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { createAgent, deploy } from './agents.js';
import { type Belongings, RARE_EVENTS } from './belongings.js';
import { pause } from './pauses.js';
import { SoftwareAuthenticator } from './software-authenticator.js';
import { ask } from './runs.js';
import { GOOD_PASSWORD, type Person, registerPerson } from './people.js';

export interface KeyedCall {
  readonly as: ApiClient;
  readonly path: string;
  readonly body?: object;
  /** A different body, which makes a different request; absent: the route takes none. */
  readonly otherBody?: object;
}

let made = 0;
const email = () => `i${++made}@example.com`;

/** Two requests of one person: on open routes people are distinguished by their email. */
function ofOnePerson<Body extends object>(body: Body, otherBody: Body) {
  const person = { email: email() };
  return { body: { ...person, ...body }, otherBody: { ...person, ...otherBody } };
}

/** Service, caller and resources for the calls with keys. */
export interface KeyedStage {
  readonly service: TestApp;
  /** An operator. */
  readonly person: Person;
  /** Resources of the person. */
  readonly belongings: Belongings;
}

/**
 * For each operation with an `Idempotency-Key`: makes a request that can succeed. A new one needs a line here.
 *
 * @param stage called when a request is made, so that the names are known before there is a service
 */
export function keyedCalls(
  stage: () => KeyedStage,
): Readonly<Record<string, () => KeyedCall | Promise<KeyedCall>>> {
  return {
    registerUser: () => ({
      as: stage().service.api,
      path: '/auth/register',
      ...ofOnePerson({ password: GOOD_PASSWORD }, { password: `another ${GOOD_PASSWORD}` }),
    }),
    inviteUser: () => ({
      as: stage().person.api,
      path: '/users',
      body: { email: email() },
      otherBody: { email: email() },
    }),
    createLead: () => ({
      as: stage().service.api,
      path: '/leads',
      ...ofOnePerson({ name: 'a' }, { name: 'b' }),
    }),
    createApiKey: () => ({
      as: stage().person.api,
      path: '/api-keys',
      body: { name: 'a' },
      otherBody: { name: 'b' },
    }),
    rotateApiKey: async () => ({
      as: stage().person.api,
      path: `/api-keys/${(await stage().person.api.post('/api-keys', { name: 'old' })).body.id}/rotate`,
      otherBody: { grace_period_seconds: 5 },
    }),
    addTotpFactor: () => ({
      as: stage().person.api,
      path: '/auth/factors/totp',
      body: { name: 'a' },
      otherBody: { name: 'b' },
    }),
    addPasskey: async () => {
      // A session has one question at a time, and an account ten factors.
      const person = await registerPerson(stage().service);
      // Many ask at once, and a busy machine refuses some.
      const { token, options } = await until(async () => {
        const { status, body } = await person.api.post('/auth/factors/passkeys/options');
        return status === 200 && body;
      });
      const body = { token, response: new SoftwareAuthenticator('http://localhost:3000').create(options) };
      return {
        as: person.api,
        path: '/auth/factors/passkeys',
        body: { ...body, name: 'a' },
        otherBody: { ...body, name: 'b' },
      };
    },
    registerAgent: () => ({
      as: stage().person.api,
      path: '/agents/register',
      body: { name: 'a' },
      otherBody: { name: 'b' },
    }),
    createProject: () => ({
      as: stage().person.api,
      path: '/projects',
      body: { name: 'a' },
      otherBody: { name: 'b' },
    }),
    addProjectMember: async () => ({
      as: stage().person.api,
      path: `/projects/${stage().belongings.ids.project_id}/members`,
      body: { email: (await registerPerson(stage().service)).email, role: 'viewer' },
      otherBody: { email: (await registerPerson(stage().service)).email, role: 'viewer' },
    }),
    createAgent: () => ({
      as: stage().person.api,
      path: '/agents',
      body: { name: 'a' },
      otherBody: { name: 'b' },
    }),
    deployAgent: async () => ({
      as: stage().person.api,
      path: `/agents/${(await createAgent(stage().service, stage().person)).id}/deploy`,
      otherBody: { replicas: 2 },
    }),
    stopAgent: async () => {
      const agent = await createAgent(stage().service, stage().person);
      await deploy(stage().person, agent);
      return { as: stage().person.api, path: `/agents/${agent.id}/stop` };
    },
    pauseAgent: async () => ({
      as: stage().person.api,
      path: `/agents/${(await createAgent(stage().service, stage().person)).id}/pause`,
      body: { reason: 'a' },
      otherBody: { reason: 'b' },
    }),
    resumeAgent: async () => {
      const agent = await createAgent(stage().service, stage().person);
      await pause(stage().person, agent);
      return { as: stage().person.api, path: `/agents/${agent.id}/resume` };
    },
    createPause: () => ({
      as: stage().person.api,
      path: '/pauses',
      body: { label: 'of:nobody', reason: 'a' },
      otherBody: { label: 'of:nobody', reason: 'b' },
    }),
    createDeployment: async () => ({
      as: stage().person.api,
      path: '/deployments',
      body: { agent_id: (await createAgent(stage().service, stage().person)).id },
      otherBody: { agent_id: stage().belongings.agent.id },
    }),
    scaleDeployment: async () => {
      const { id } = await stageDeployment(stage().service, stage().person, 'running');
      return {
        as: stage().person.api,
        path: `/deployments/${id}/scale`,
        body: { replicas: 3 },
        otherBody: { replicas: 4 },
      };
    },
    stopDeployment: async () => {
      const { id } = await stageDeployment(stage().service, stage().person, 'running');
      return { as: stage().person.api, path: `/deployments/${id}/stop` };
    },
    restartDeployment: async () => {
      const { id } = await stageDeployment(stage().service, stage().person, 'stopped');
      return { as: stage().person.api, path: `/deployments/${id}/restart` };
    },
    restartDeploymentRolling: async () => {
      const { id } = await stageDeployment(stage().service, stage().person, 'running');
      return { as: stage().person.api, path: `/deployments/${id}/rolling-restart` };
    },
    createRun: () => ({
      as: stage().person.api,
      path: `/agents/${stage().belongings.agent.id}/runs`,
      body: { input: 1 },
      otherBody: { input: 2 },
    }),
    cancelRun: async () => ({
      as: stage().person.api,
      path: `/runs/${(await ask(stage().person, stage().belongings.agent)).id}/cancel`,
      body: { reason: 'a' },
      otherBody: { reason: 'b' },
    }),
    retryRun: async () => {
      const { id } = await ask(stage().person, stage().belongings.agent);
      await stage().person.api.post(`/runs/${id}/cancel`, {});
      return { as: stage().person.api, path: `/runs/${id}/retry` };
    },
    createBudget: () => ({
      as: stage().person.api,
      path: '/budgets',
      body: { name: 'a', period: 'day', limit: { usd: 1 } },
      otherBody: { name: 'b', period: 'day', limit: { usd: 1 } },
    }),
    createSchedule: () => ({
      as: stage().person.api,
      path: `/agents/${stage().belongings.agent.id}/schedules`,
      body: { every_seconds: 3_600 },
      otherBody: { every_seconds: 7_200 },
    }),
    triggerSchedule: () => ({
      as: stage().person.api,
      path: `/schedules/${stage().belongings.ids.schedule_id}/trigger`,
    }),
    reportRuns: () => ({
      as: stage().belongings.agent.runtime,
      path: '/agents/runs',
      body: { runs: [{ run_key: 'a', status: 'running' }] },
      otherBody: { runs: [{ run_key: 'b', status: 'running' }] },
    }),
    reportUsage: () => ({
      as: stage().belongings.agent.runtime,
      path: '/agents/usage',
      body: { usage: [{ model: 'a' }] },
      otherBody: { usage: [{ model: 'b' }] },
    }),
    createWebhook: () => ({
      as: stage().person.api,
      path: '/webhooks/',
      body: { url: 'http://127.0.0.1:9/', events: RARE_EVENTS },
      otherBody: { url: 'http://127.0.0.1:9/x', events: RARE_EVENTS },
    }),
    rotateWebhookSecret: () => ({
      as: stage().person.api,
      path: `/webhooks/${stage().belongings.ids.webhook_id}/rotate-secret`,
      otherBody: { secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` },
    }),
    submitLogs: () => ({
      as: stage().belongings.agent.runtime,
      path: '/agents/logs',
      body: { level: 'info', message: 'a' },
      otherBody: { level: 'info', message: 'b' },
    }),
    submitMetrics: () => ({
      as: stage().belongings.agent.runtime,
      path: '/agents/metrics',
      body: { cpu_usage: 1 },
      otherBody: { cpu_usage: 2 },
    }),
    exportLogs: () => ({
      as: stage().belongings.agent.runtime,
      path: '/otlp/v1/logs',
      body: { resourceLogs: [] },
      otherBody: { resourceLogs: [{}] },
    }),
    exportMetrics: () => ({
      as: stage().belongings.agent.runtime,
      path: '/otlp/v1/metrics',
      body: { resourceMetrics: [] },
      otherBody: { resourceMetrics: [{}] },
    }),
  };
}

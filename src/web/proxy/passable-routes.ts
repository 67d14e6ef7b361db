import type { paths } from '@agent-control-plane/client';

/**
 * The way in which a request is forwarded: with the session's token, without a token (open routes), or with the token and
 * without a time limit.
 */
export type Passage = 'session' | 'open' | 'stream';

/** Routes that this server handles itself, with its own calls to the service. */
export type OwnHandler = 'login' | 'register' | 'password' | 'logout' | 'sso' | 'sso-tokens';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface PassableRoute {
  readonly path: string;
  /** The service's path; parameters have the same names on both sides. */
  readonly service: keyof paths;
  readonly methods: Readonly<Partial<Record<Method, Passage | OwnHandler>>>;
}

const read = { GET: 'session' } as const;
const act = { POST: 'session' } as const;
const list = { GET: 'session', POST: 'session' } as const;
const stream = { GET: 'stream' } as const;

const agents = '/api/dashboard/agents';
const deployments = '/api/dashboard/deployments';
const runs = '/api/dashboard/runs';
const approvals = '/api/dashboard/approvals';
const schedules = '/api/dashboard/schedules';
const budgets = '/api/dashboard/budgets';
const projects = '/api/dashboard/projects';

/** The list of forwarded routes. Every other path is a 404 and is not forwarded, above all the routes of runtimes. */
export const PASSABLE: readonly PassableRoute[] = [
  { path: '/api/auth/login', service: '/auth/login', methods: { POST: 'login' } },
  {
    path: '/api/auth/login/second-factor',
    service: '/auth/login/second-factor',
    methods: { POST: 'login' },
  },
  { path: '/api/auth/register', service: '/auth/register', methods: { POST: 'register' } },
  { path: '/api/auth/logout', service: '/auth/logout', methods: { POST: 'logout' } },
  { path: '/api/auth/methods', service: '/auth/methods', methods: { GET: 'open' } },
  { path: '/api/auth/sso', service: '/auth/sso', methods: { POST: 'sso' } },
  { path: '/api/auth/sso/tokens', service: '/auth/sso/tokens', methods: { POST: 'sso-tokens' } },
  { path: '/api/auth/me', service: '/auth/me', methods: read },
  { path: '/api/auth/password', service: '/auth/password', methods: { POST: 'password' } },
  { path: '/api/auth/password-reset', service: '/auth/password-reset', methods: { POST: 'open' } },
  { path: '/api/auth/sessions', service: '/auth/sessions', methods: { GET: 'session', DELETE: 'session' } },
  {
    path: '/api/auth/sessions/{session_id}',
    service: '/auth/sessions/{session_id}',
    methods: { DELETE: 'session' },
  },
  { path: '/api/auth/factors', service: '/auth/factors', methods: read },
  { path: '/api/auth/factors/totp', service: '/auth/factors/totp', methods: act },
  { path: '/api/auth/factors/passkeys/options', service: '/auth/factors/passkeys/options', methods: act },
  { path: '/api/auth/factors/passkeys', service: '/auth/factors/passkeys', methods: act },
  {
    path: '/api/auth/factors/{factor_id}',
    service: '/auth/factors/{factor_id}',
    methods: { DELETE: 'session' },
  },
  {
    path: '/api/auth/factors/{factor_id}/confirm',
    service: '/auth/factors/{factor_id}/confirm',
    methods: act,
  },
  { path: '/api/auth/recovery-codes', service: '/auth/recovery-codes', methods: act },
  { path: '/api/auth/step-up/options', service: '/auth/step-up/options', methods: act },
  { path: '/api/auth/step-up', service: '/auth/step-up', methods: act },

  { path: '/api/dashboard/overview', service: '/overview', methods: read },
  { path: '/api/dashboard/overview/day', service: '/overview/day', methods: read },
  { path: agents, service: '/agents', methods: list },
  { path: `${agents}/groups`, service: '/agents/groups', methods: read },
  { path: `${agents}/health-hours`, service: '/agents/health-hours', methods: read },
  {
    path: `${agents}/{agent_id}`,
    service: '/agents/{agent_id}',
    methods: { GET: 'session', PATCH: 'session', DELETE: 'session' },
  },
  { path: `${agents}/{agent_id}/quotas`, service: '/agents/{agent_id}/quotas', methods: read },
  { path: `${agents}/{agent_id}/timeline`, service: '/agents/{agent_id}/timeline', methods: read },
  { path: `${agents}/{agent_id}/configs`, service: '/agents/{agent_id}/configs', methods: read },
  {
    path: `${agents}/{agent_id}/configs/{config_version}`,
    service: '/agents/{agent_id}/configs/{config_version}',
    methods: read,
  },
  { path: `${agents}/{agent_id}/deploy`, service: '/agents/{agent_id}/deploy', methods: act },
  { path: `${agents}/{agent_id}/stop`, service: '/agents/{agent_id}/stop', methods: act },
  { path: `${agents}/{agent_id}/pause`, service: '/agents/{agent_id}/pause', methods: act },
  { path: `${agents}/{agent_id}/resume`, service: '/agents/{agent_id}/resume', methods: act },
  { path: `${agents}/{agent_id}/runs`, service: '/agents/{agent_id}/runs', methods: act },
  {
    path: `${agents}/{agent_id}/runs/config-versions`,
    service: '/agents/{agent_id}/runs/config-versions',
    methods: read,
  },
  { path: `${agents}/{agent_id}/schedules`, service: '/agents/{agent_id}/schedules', methods: act },
  { path: `${agents}/{agent_id}/logs`, service: '/agents/{agent_id}/logs', methods: read },
  { path: `${agents}/{agent_id}/logs/stream`, service: '/agents/{agent_id}/logs/stream', methods: stream },
  { path: `${agents}/{agent_id}/metrics`, service: '/agents/{agent_id}/metrics', methods: read },
  {
    path: `${agents}/{agent_id}/metrics/summary`,
    service: '/agents/{agent_id}/metrics/summary',
    methods: read,
  },
  { path: '/api/dashboard/logs', service: '/logs', methods: read },
  { path: '/api/dashboard/logs/stream', service: '/logs/stream', methods: stream },

  { path: deployments, service: '/deployments', methods: list },
  {
    path: `${deployments}/{deployment_id}`,
    service: '/deployments/{deployment_id}',
    methods: { GET: 'session', DELETE: 'session' },
  },
  {
    path: `${deployments}/{deployment_id}/scale`,
    service: '/deployments/{deployment_id}/scale',
    methods: act,
  },
  {
    path: `${deployments}/{deployment_id}/stop`,
    service: '/deployments/{deployment_id}/stop',
    methods: act,
  },
  {
    path: `${deployments}/{deployment_id}/restart`,
    service: '/deployments/{deployment_id}/restart',
    methods: act,
  },
  {
    path: `${deployments}/{deployment_id}/rolling-restart`,
    service: '/deployments/{deployment_id}/rolling-restart',
    methods: act,
  },
  {
    path: `${deployments}/{deployment_id}/events`,
    service: '/deployments/{deployment_id}/events',
    methods: read,
  },
  {
    path: `${deployments}/{deployment_id}/events/stream`,
    service: '/deployments/{deployment_id}/events/stream',
    methods: stream,
  },
  {
    path: `${deployments}/{deployment_id}/commands`,
    service: '/deployments/{deployment_id}/commands',
    methods: read,
  },
  {
    path: `${deployments}/{deployment_id}/logs`,
    service: '/deployments/{deployment_id}/logs',
    methods: read,
  },
  {
    path: `${deployments}/{deployment_id}/metrics`,
    service: '/deployments/{deployment_id}/metrics',
    methods: read,
  },
  {
    path: `${deployments}/{deployment_id}/metrics/summary`,
    service: '/deployments/{deployment_id}/metrics/summary',
    methods: read,
  },

  { path: runs, service: '/runs', methods: read },
  { path: `${runs}/{run_id}`, service: '/runs/{run_id}', methods: read },
  { path: `${runs}/{run_id}/events`, service: '/runs/{run_id}/events', methods: read },
  { path: `${runs}/{run_id}/logs`, service: '/runs/{run_id}/logs', methods: read },
  { path: `${runs}/{run_id}/spans`, service: '/runs/{run_id}/spans', methods: read },
  { path: `${runs}/{run_id}/spans/{span_id}`, service: '/runs/{run_id}/spans/{span_id}', methods: read },
  { path: `${runs}/{run_id}/stream`, service: '/runs/{run_id}/stream', methods: stream },
  { path: `${runs}/{run_id}/cancel`, service: '/runs/{run_id}/cancel', methods: act },
  { path: `${runs}/{run_id}/retry`, service: '/runs/{run_id}/retry', methods: act },

  { path: schedules, service: '/schedules', methods: read },
  {
    path: `${schedules}/{schedule_id}`,
    service: '/schedules/{schedule_id}',
    methods: { GET: 'session', PATCH: 'session', DELETE: 'session' },
  },
  { path: `${schedules}/{schedule_id}/trigger`, service: '/schedules/{schedule_id}/trigger', methods: act },

  { path: approvals, service: '/approvals', methods: read },
  { path: `${approvals}/{approval_id}`, service: '/approvals/{approval_id}', methods: read },
  { path: `${approvals}/{approval_id}/decide`, service: '/approvals/{approval_id}/decide', methods: act },

  {
    path: '/api/dashboard/maintenance',
    service: '/maintenance',
    methods: { GET: 'session', PUT: 'session', DELETE: 'session' },
  },
  { path: '/api/dashboard/pauses', service: '/pauses', methods: list },
  {
    path: '/api/dashboard/pauses/{pause_id}',
    service: '/pauses/{pause_id}',
    methods: { DELETE: 'session' },
  },
  { path: '/api/dashboard/usage', service: '/usage', methods: read },
  { path: budgets, service: '/budgets', methods: list },
  {
    path: `${budgets}/{budget_id}`,
    service: '/budgets/{budget_id}',
    methods: { PATCH: 'session', DELETE: 'session' },
  },

  { path: '/api/dashboard/events', service: '/events', methods: read },
  { path: '/api/dashboard/events/stream', service: '/events/stream', methods: stream },
  { path: '/api/dashboard/audit', service: '/audit', methods: read },
  { path: projects, service: '/projects', methods: list },
  {
    path: `${projects}/{project_id}`,
    service: '/projects/{project_id}',
    methods: { GET: 'session', PATCH: 'session', DELETE: 'session' },
  },
  {
    path: `${projects}/{project_id}/limits`,
    service: '/projects/{project_id}/limits',
    methods: { GET: 'session', PATCH: 'session' },
  },
  { path: `${projects}/{project_id}/members`, service: '/projects/{project_id}/members', methods: list },
  {
    path: `${projects}/{project_id}/members/{user_id}`,
    service: '/projects/{project_id}/members/{user_id}',
    methods: { PATCH: 'session', DELETE: 'session' },
  },
  { path: '/api/dashboard/users', service: '/users', methods: list },
  {
    path: '/api/dashboard/users/{user_id}',
    service: '/users/{user_id}',
    methods: { PATCH: 'session', DELETE: 'session' },
  },
  {
    path: '/api/dashboard/users/{user_id}/password-reset',
    service: '/users/{user_id}/password-reset',
    methods: act,
  },
  {
    path: '/api/dashboard/users/{user_id}/factors',
    service: '/users/{user_id}/factors',
    methods: { DELETE: 'session' },
  },
  { path: '/api/dashboard/health', service: '/health', methods: { GET: 'open' } },

  { path: '/api/api-keys', service: '/api-keys', methods: list },
  { path: '/api/api-keys/{key_id}', service: '/api-keys/{key_id}', methods: { DELETE: 'session' } },
  { path: '/api/api-keys/{key_id}/rotate', service: '/api-keys/{key_id}/rotate', methods: act },

  { path: '/api/webhooks', service: '/webhooks/', methods: list },
  {
    path: '/api/webhooks/{webhook_id}',
    service: '/webhooks/{webhook_id}',
    methods: { GET: 'session', PATCH: 'session', DELETE: 'session' },
  },
  { path: '/api/webhooks/{webhook_id}/test', service: '/webhooks/{webhook_id}/test', methods: act },
  {
    path: '/api/webhooks/{webhook_id}/deliveries',
    service: '/webhooks/{webhook_id}/deliveries',
    methods: read,
  },
  {
    path: '/api/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
    service: '/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
    methods: act,
  },
  {
    path: '/api/webhooks/{webhook_id}/rotate-secret',
    service: '/webhooks/{webhook_id}/rotate-secret',
    methods: act,
  },
  { path: '/api/webhooks/{webhook_id}/recover', service: '/webhooks/{webhook_id}/recover', methods: act },

  { path: '/api/leads', service: '/leads', methods: { GET: 'session', POST: 'open' } },
  { path: '/api/leads/{lead_id}', service: '/leads/{lead_id}', methods: read },
  { path: '/api/newsletter', service: '/newsletter', methods: { GET: 'open', POST: 'open' } },
];

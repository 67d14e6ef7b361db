import { STATUS_CODES } from 'node:http';
import type { PlayedCommand } from './played-queue.js';
import type { PlayedRun } from './played-runs.js';
import type { Deployment } from './played-state.js';

/** Words of `ErrorCode` of the OpenAPI document; a status that the scenarios do not name has the general one of its kind. */
const CODES: Readonly<Record<number, string>> = {
  401: 'invalid_token',
  403: 'agent_mismatch',
  404: 'not_found',
  413: 'payload_too_large',
  422: 'validation_failed',
  429: 'rate_limited',
  500: 'internal_server_error',
  503: 'service_unavailable',
};

/** The bodies of the service's replies, as in docs/runtime-protocol.md. */

/** @param field path of the value that breaks a rule, in a 422; null for none alone */
export function errorBody(
  status: number,
  message: string,
  requestId: string,
  field: string | null = null,
): object {
  return {
    statusCode: status,
    error: STATUS_CODES[status],
    code: CODES[status],
    message: status === 422 ? [message] : message,
    detail: message,
    request_id: requestId,
    ...(status === 422 ? { errors: [{ field, message, code: 'invalid_value' }] } : {}),
  };
}

export function deploymentBody(agentId: string, deployment: Deployment, now: Date): object {
  const { id, status, replicas, generation, createdAt } = deployment;
  return {
    id,
    deployment_id: id,
    agent_id: agentId,
    status,
    status_source: 'user',
    replicas,
    ready_replicas: 0,
    generation,
    observed_generation: null,
    node_id: null,
    error_message: null,
    created_at: createdAt.toISOString(),
    started_at: createdAt.toISOString(),
    ended_at: null,
    updated_at: now.toISOString(),
  };
}

/** @param skewMs difference between the service's clock and the machine's */
export function commandBody(command: PlayedCommand, leaseMs: number, skewMs: number): object {
  const { id, action, deploymentId, generation, replicas, config, attempt, receivedAt } = command;
  const rolling = command.isRolling && { rolling: true };
  return {
    command_id: id,
    action,
    deployment_id: deploymentId,
    parameters: { deployment_id: deploymentId, generation, replicas, config, ...rolling },
    attempt,
    received_at: new Date(receivedAt.getTime() + skewMs).toISOString(),
    expires_at: new Date(Date.now() + leaseMs + skewMs).toISOString(),
  };
}

/** Time after which an agent without a call counts as lost; seconds. */
const LEASE_SECONDS = 120;

export function claimedRunBody({ id, attempt, input, deploymentId }: PlayedRun): object {
  const traceId = id.replaceAll('-', '');
  return {
    run_id: id,
    attempt,
    input,
    name: null,
    labels: {},
    conversation_id: null,
    timeout_seconds: null,
    deployment_id: deploymentId,
    config_version: 1,
    traceparent: `00-${traceId}-${traceId.slice(-16)}-01`,
    lease_seconds: LEASE_SECONDS,
  };
}

/** Adds fields of a future version at every place where it may add them. */
export function withNews(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNews);
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).map(([name, inner]) => [name, withNews(inner)] as const);
  return { a_new_object: { of: ['things', 1, null] }, ...Object.fromEntries(known), a_new_field: 'later' };
}

export const PROXY_PAGE = '<html><head><title>Bad gateway</title></head><body>nginx</body></html>\n';

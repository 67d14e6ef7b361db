import type { RunContent, RunRules } from '../run.types.js';
import type { CreateRunRequest } from './run.requests.js';

const DEFAULT_PRIORITY = 5;

/** The properties of a requested run. */
export function contentOf(body: CreateRunRequest): RunContent {
  return {
    input: body.input ?? null,
    name: body.name ?? null,
    labels: body.labels ?? {},
    conversationId: body.conversation_id ?? null,
  };
}

/** The rules of a request, with their defaults. */
export function rulesOf(body: CreateRunRequest): RunRules {
  return {
    priority: body.priority ?? DEFAULT_PRIORITY,
    timeoutSeconds: body.timeout_seconds ?? null,
    startAfter: body.start_after ?? null,
    expiresAt: body.expires_at ?? null,
    maxAttempts: body.retry?.max_attempts ?? 1,
    firstDelaySeconds: body.retry?.first_delay_seconds ?? 0,
    retriesAbandoned: body.retry?.abandoned ?? false,
  };
}

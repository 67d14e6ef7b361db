import { type Call, isRecord, type Route } from '../evidence.js';
import { namedRunsIn } from './played-runs.js';
import type { PlayedState } from './played-state.js';
import { commandBody, deploymentBody } from './replies.js';
import type { Answer } from './answer.js';
import { answerQuestion, askApproval, withdrawQuestion } from './approval-answers.js';
import { approvalBody } from './played-approvals.js';
import { claimRuns, reportRuns } from './run-answers.js';

interface Received {
  readonly isJson: boolean;
  readonly isTooLarge: boolean;
}

/** The answers of a service without faults, with its checks in order. */
export async function answerCall(service: PlayedState, call: Call, received: Received): Promise<Answer> {
  if (!call.hasKey || service.conditions.refusesKey) {
    return { status: 401, message: 'Invalid or expired token' };
  }
  if (call.route === 'unknown') return { status: 404, message: 'Route not found' };
  if (received.isTooLarge) return { status: 413, message: 'The body is too large' };
  if (call.problems.includes('the body is no JSON')) return { status: 400, message: 'Malformed JSON' };
  if (call.body !== undefined && !received.isJson) {
    return { status: 415, message: 'The content type must be application/json' };
  }
  if (call.problems.includes('agent_id is not the agent of the key')) {
    return { status: 403, message: 'Agent ID mismatch' };
  }
  const isOfEntries = call.problems.every((it) => OF_AN_ENTRY[call.route]?.test(it));
  if (call.problems.length > 0 && !isOfEntries) return { status: 422, message: call.problems.join('; ') };
  return handlers[call.route](service, call);
}

/** A problem of one report, which is passed over alone. */
const OF_AN_ENTRY: Readonly<Partial<Record<Route, RegExp>>> = {
  heartbeat: /^body\.(deployments\.\d+(?:\.\w+)*) /,
  reports: /^body\.(runs\.\d+(?:\.\w+)*) /,
};

/** The field `refused` of a reply; none if every entry was accepted. */
function refusedEntries({ problems, route }: Call): { refused?: object[] } {
  if (problems.length === 0) return {};
  const refused = problems.map((problem) => {
    const message = problem.replace(/^body\./, '');
    return { field: OF_AN_ENTRY[route]?.exec(problem)?.[1] ?? null, message, code: 'invalid_value' };
  });
  return { refused };
}

type Handler = (service: PlayedState, call: Call) => Answer | Promise<Answer>;

const handlers: Readonly<Record<Exclude<Route, 'unknown'>, Handler>> = {
  register: (service, call) => {
    service.conditions.asksToRegister = false;
    service.runs.registered(namedRunsIn(call) ?? []);
    return {
      status: 200,
      body: {
        agent_id: service.identity.agentId,
        status: 'registered',
        message: 'Agent registered',
        heartbeat_interval_seconds: service.conditions.intervalSeconds,
        approvals: service.approvals.open().map((each) => approvalBody(each, service.identity.agentId)),
        deployments: deploymentsOf(service),
      },
      whenSent: () => told(service),
    };
  },

  heartbeat: (service, call) => {
    const named = namedRunsIn(call);
    if (named) service.runs.beat(named);
    const toCancel = service.runs.toCancel().filter((id) => named?.includes(id));
    return {
      status: 200,
      body: {
        status: 'ok',
        agent_id: service.identity.agentId,
        timestamp: new Date(Date.now() + service.conditions.skewMs).toISOString(),
        heartbeat_interval_seconds: service.conditions.intervalSeconds,
        pending_commands: service.queue.commands.filter(({ isSettled }) => !isSettled).length,
        ...(service.conditions.asksToRegister && { register: true }),
        ...(toCancel.length > 0 && { cancel_runs: toCancel }),
        ...refusedEntries(call),
      },
      whenSent: () => told(service),
    };
  },

  poll,

  acknowledge: (service, call) => {
    const { command_id: commandId, success } = call.body as { command_id: string; success: unknown };
    const isFirst = service.queue.settle(commandId, call, success);
    if (isFirst === undefined) return { status: 404, message: 'Command not found' };
    return {
      status: 200,
      body: { status: 'ok', command_id: commandId, ...(isFirst ? {} : { duplicate: true }) },
    };
  },

  logs: (service, call) => {
    const entries = entriesOf(call.body, 'logs');
    const { poison, mostEntries } = service.conditions;
    if (entries.length > mostEntries) return { status: 413, message: 'The body is too large' };
    const index = entries.findIndex(({ message }) => poison !== null && message === poison);
    const isBatch = isRecord(call.body) && Array.isArray(call.body.logs);
    if (index >= 0) {
      const field = `${isBatch ? `logs.${index}.` : ''}metadata`;
      return { status: 422, field, message: `${field} is refused by the conformance script` };
    }
    return stored(service, call, entries.length);
  },

  metrics: (service, call) => stored(service, call, entriesOf(call.body, 'metrics').length),

  claim: claimRuns,

  ask: askApproval,

  answer: answerQuestion,

  withdraw: withdrawQuestion,

  reports: (service, call) => {
    const answer = reportRuns(service, call);
    return answer.body ? { ...answer, body: { ...answer.body, ...refusedEntries(call) } } : answer;
  },

  status: (service) => ({
    status: 200,
    body: {
      agent_id: service.identity.agentId,
      status: 'running',
      last_heartbeat: null,
      uptime_seconds: Math.round(service.now() / 1_000),
      deployments: deploymentsOf(service),
    },
  }),
};

/** Waits like the service: until a command is due, or the time is over. */
async function poll(service: PlayedState, call: Call): Promise<Answer> {
  const { conditions, queue } = service;
  const query = new URL(call.target, 'http://service').searchParams;
  const deadline = service.now() + Number(query.get('wait') || 0) * 1_000;
  const limit = Number(query.get('limit') || 10);
  if (conditions.emptyPolls > 0) {
    conditions.emptyPolls--;
    return { status: 200, body: { commands: [] } };
  }
  for (;;) {
    if (call.hungUp) return { status: 200 };
    if (service.pollsEndedAt > call.at) return { status: 200, body: { commands: [] } };
    const commands = queue.lease(limit);
    if (commands.length > 0) {
      return {
        status: 200,
        body: { commands: commands.map((it) => commandBody(it, conditions.leaseMs, conditions.skewMs)) },
        whenSent: () => {
          for (const command of commands) command.deliveries.push({ at: service.now(), call: call.number });
        },
      };
    }
    const remaining = deadline - service.now();
    if (remaining <= 0) return { status: 200, body: { commands: [] } };
    await queue.somethingNew(Math.min(remaining, 250));
  }
}

/** An interval counts from its receipt by the agent. */
function told(service: PlayedState): void {
  const { intervalSeconds: seconds } = service.conditions;
  if (service.intervals.at(-1)?.seconds !== seconds) service.intervals.push({ at: service.now(), seconds });
}

function deploymentsOf(service: PlayedState): object[] {
  const now = new Date();
  return [...service.deployments.values()]
    .map((it) => deploymentBody(service.identity.agentId, it, now))
    .reverse();
}

/** Stores a batch once for each key, like the service. */
function stored(service: PlayedState, { idempotencyKey, route, body }: Call, count: number): Answer {
  const accepted = { status: 'ok', agent_id: service.identity.agentId, accepted: count };
  if (idempotencyKey === null) return { status: 200, body: accepted };
  const batch = `${route} ${JSON.stringify(body)}`;
  const before = service.batches.get(idempotencyKey);
  if (before !== undefined && before !== batch) {
    return { status: 422, message: 'Idempotency-Key was already used for another request' };
  }
  service.batches.set(idempotencyKey, batch);
  return { status: 200, body: accepted, isReplay: before !== undefined };
}

/** One entry, or a batch of them. */
export function entriesOf(body: unknown, name: 'logs' | 'metrics'): Record<string, unknown>[] {
  if (!isRecord(body)) return [];
  const batch = body[name];
  return Array.isArray(batch) ? (batch as unknown[]).filter(isRecord) : [body];
}

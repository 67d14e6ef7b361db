import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The registry of this process's counters and histograms, used by all parts of the service. */
export const instruments = new Registry();

const registers = [instruments];

/** `route` is the route's template, or `none` without a match, so that the number of label values is bounded. */
export const requests = new Counter({
  name: 'http_requests_total',
  help: 'Requests whose answer has ended, by method, template of the route, and status',
  labelNames: ['method', 'route', 'status'],
  registers,
});

export const requestSeconds = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'From the headers of a request to the end of its answer; a long poll or stream lasts as long as it is asked to',
  labelNames: ['method', 'route'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
  registers,
});

export const refusedRequests = new Counter({
  name: 'control_plane_refused_requests_total',
  help: 'Requests refused because the concurrency limit of their kind, or that of one address, was reached',
  labelNames: ['kind', 'reason'],
  registers,
});

export const groupSizes = new Histogram({
  name: 'control_plane_group_size',
  help: 'Items that were written or read together in one statement',
  labelNames: ['group'],
  buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000],
  registers,
});

export const cacheReads = new Counter({
  name: 'control_plane_cache_reads_total',
  help: 'Reads of the caches of an instance; bypass: its LISTEN connection was not known to be alive',
  labelNames: ['cache', 'outcome'],
  registers,
});

export const settledCommands = new Counter({
  name: 'control_plane_commands_settled_total',
  help: 'Commands that were settled by this instance, by the state that they got',
  labelNames: ['state'],
  registers,
});

export const endedRuns = new Counter({
  name: 'control_plane_runs_ended_total',
  help: 'Ends of runs that this instance has stored, by status; a late real end counts beside the presumed one',
  labelNames: ['status'],
  registers,
});

export const settledApprovals = new Counter({
  name: 'control_plane_approvals_settled_total',
  help: 'Approvals that were settled by this instance, by the state that they got',
  labelNames: ['state'],
  registers,
});

export const runSeconds = new Histogram({
  name: 'control_plane_run_seconds',
  help: 'How long an attempt of a run has waited since it was due, and how long it was under way',
  labelNames: ['phase'],
  buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400],
  registers,
});

export const storedSpans = new Counter({
  name: 'control_plane_spans_total',
  help: 'Spans that this instance has stored, each once however often it was sent',
  registers,
});

export const usedTokens = new Counter({
  name: 'control_plane_usage_tokens_total',
  help: 'Tokens of models that this instance has counted, by bucket; reasoning is within the output',
  labelNames: ['bucket'],
  registers,
});

export const usedDollars = new Counter({
  name: 'control_plane_usage_cost_dollars_total',
  help: 'Cost of models that this instance has counted, without the calls whose cost nobody knows',
  registers,
});

export const uncostedCalls = new Counter({
  name: 'control_plane_usage_uncosted_calls_total',
  help: 'Calls of models that this instance has counted and whose cost nobody knows',
  registers,
});

export const webhookAttempts = new Counter({
  name: 'control_plane_webhook_attempts_total',
  help: 'Attempts to deliver a message to a webhook',
  labelNames: ['outcome'],
  registers,
});

/** Only a round that did its work sets this, so the value of a job that has died grows old. */
export const roundFinished = new Gauge({
  name: 'control_plane_round_finished_timestamp_seconds',
  help: 'When this instance last finished a round of the job; unset before its first one',
  labelNames: ['round'],
  registers,
});

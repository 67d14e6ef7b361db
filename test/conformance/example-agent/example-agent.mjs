// A well-behaved agent, as small as it gets, that can be given one fault: FAULT names it. What a replica is to other
// agents is a connection to CONFORMANCE_REPLICA_URL here.
import { randomUUID } from 'node:crypto';
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const {
  SERVICE_API_URL: url,
  SERVICE_AGENT_KEY: key,
  CONFORMANCE_REPLICA_URL: replicaUrl,
  FAULT: fault,
} = process.env;
const has = (name) => fault === name;

const deployments = new Map(); // id -> { generation, replicas: connections, isStopped }
const said = new Map(); // command id -> body of its acknowledgement
let logs = [];
let intervalMs = 1_000;
let refusals = 0;
let ordinal = 0;
let beats = 0;

class Refused extends Error {}

/** @returns the reply's body; null for a reply that is refused as it is. Tries until there is one */
async function call(method, path, body, { once = false, timeoutMs = 5_000, idempotencyKey } = {}) {
  for (let failures = 0; ; failures++) {
    const reply = await attempt(method, path, body, timeoutMs, idempotencyKey);
    if (reply.status === 200) {
      if (reply.body !== undefined) {
        refusals = 0;
        return reply.body;
      }
      if (has('dies-of-pages')) throw new Error('that was no JSON');
    }
    if (reply.status === 401 && !has('hammers-when-refused')) await refused();
    if (reply.status === 503 && has('gives-up-on-503')) await delay(1_000_000_000);
    const isFinal = reply.status >= 400 && reply.status < 500 && ![401, 429].includes(reply.status);
    if (isFinal) return { refusal: reply };
    if (once) return { retryAfter: reply.retryAfter };
    await pauseAfter(reply, failures);
  }
}

async function attempt(method, path, body, timeoutMs, idempotencyKey) {
  try {
    const headers = { authorization: `Bearer ${key}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    const at = has('puts-its-key-in-urls') ? `${path}${path.includes('?') ? '&' : '?'}key=${key}` : path;
    const response = await fetch(`${url}${at}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    return {
      status: response.status,
      retryAfter: Number(response.headers.get('retry-after') ?? 0),
      body: json(text),
    };
  } catch (error) {
    if (has('dies-in-outage') && error.cause?.code === 'ECONNREFUSED') process.exit(1);
    if (has('stops-in-outage')) for (const id of deployments.keys()) setReplicas(id, 0);
    return { status: 0, retryAfter: 0 };
  }
}

function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function refused() {
  refusals++;
  if (refusals < 3 && !has('ends-at-one-401')) return;
  throw new Refused();
}

async function pauseAfter({ status, retryAfter = 0 }, failures) {
  if (has('never-backs-off') || (status === 401 && has('hammers-when-refused'))) return delay(1);
  const backOff = 200 * 2 ** Math.min(failures, 5);
  await delay(
    Math.max(has('ignores-retry-after') ? 0 : retryAfter * 1_050, backOff * (0.75 + Math.random() / 4)),
  );
}

// --- replicas

function setReplicas(id, count) {
  const { replicas } = deployments.get(id);
  while (replicas.length > count) replicas.pop().destroy();
  while (replicas.length < count) {
    const connection = get(replicaUrl, (response) => response.resume().on('error', () => undefined));
    replicas.push(connection.on('error', () => undefined));
  }
}

async function carryOut({ action, deployment_id: id, parameters }) {
  if (!['deploy', 'scale', 'restart', 'stop', 'kill'].includes(action)) {
    return has('claims-the-unknown')
      ? { success: true }
      : { success: false, error: `no such action: ${action}` };
  }
  const isKnown = deployments.has(id);
  if (!isKnown && action !== 'deploy' && has('fails-what-it-does-not-know')) {
    return { success: false, error: 'what deployment?' };
  }
  if (!isKnown) deployments.set(id, { replicas: [] });
  const deployment = deployments.get(id);
  deployment.isStopped = action === 'stop' || action === 'kill';
  deployment.generation = parameters.generation;
  if (action === 'restart' || (action === 'deploy' && has('executes-twice'))) setReplicas(id, 0);
  setReplicas(id, deployment.isStopped ? 0 : parameters.replicas);
  logs.push({ level: 'info', message: `${action} ${++ordinal}`, timestamp: new Date().toISOString() });
  return { success: true };
}

// --- the loops

async function beat() {
  const reports = [...deployments]
    .filter(([, { isStopped }]) => !isStopped || has('reports-what-is-not'))
    .map(([deployment_id, { generation, replicas, isStopped }]) => ({
      deployment_id,
      status: has('invents-a-status') ? 'splendid' : 'ready',
      ready_replicas: isStopped ? 1 : replicas.length,
      observed_generation: has('reports-old-generations') ? generation - (beats++ % 2) : generation,
    }));
  const body = has('never-reports') ? { status: 'running' } : { status: 'running', deployments: reports };
  const reply = await call('POST', '/agents/heartbeat', body);
  if (reply.heartbeat_interval_seconds && !has('ignores-the-interval'))
    intervalMs = reply.heartbeat_interval_seconds * 1_000;
}

async function keepBeating() {
  if (has('beats-between-polls')) return;
  for (;;) {
    await beat();
    await sendLogs();
    await delay(intervalMs * 0.95);
  }
}

let isLogging = true;
let noLogsBefore = 0;
let batch; // how many of the logs are being sent, and under which key, until an answer says what became of them

async function sendLogs() {
  while (isLogging && logs.length > 0 && Date.now() > noLogsBefore) {
    batch ??= { size: Math.min(100, logs.length), key: randomUUID() };
    const { size } = batch;
    const idempotencyKey = has('forgets-its-keys') ? randomUUID() : batch.key;
    const body = { logs: logs.slice(0, size) };
    const reply = await call('POST', '/agents/logs', body, { once: true, idempotencyKey });
    const { refusal, retryAfter } = reply;
    if (retryAfter !== undefined)
      noLogsBefore = Date.now() + (has('ignores-retry-after') ? 0 : retryAfter * 1_000);
    if (retryAfter !== undefined) return;
    batch = undefined;
    if (refusal === undefined) logs = logs.slice(size);
    else if (has('repeats-the-poison')) await delay(110);
    else if (has('stops-logging')) isLogging = false;
    else if (refusal.status === 413) logs = logs.slice(1);
    else {
      const named = (refusal.body?.message ?? []).map((problem) =>
        Number(/^logs\.(\d+)\./.exec(problem)?.[1]),
      );
      logs = named.length > 0 ? logs.filter((_, index) => !named.includes(index)) : logs.slice(size);
    }
  }
}

async function keepPolling() {
  for (;;) {
    if (has('beats-between-polls')) await beat();
    const begun = Date.now();
    const timeoutMs = has('hangs-up') ? 1_500 : 25_000;
    const poll = () => call('GET', '/agents/commands?wait=20', undefined, { timeoutMs });
    const { commands = [] } = await poll();
    if (commands.length === 0) {
      // many at once: how fast one follows another is the machine's business
      if (has('hammers-empty-polls')) for (let more = 0; more < 12; more++) void poll();
      if (Date.now() - begun < 10_000 && !has('hammers-empty-polls')) await delay(200 + Math.random() * 400);
      continue;
    }
    for (const command of commands) await obey(command);
    await beat();
  }
}

async function obey(command) {
  const { command_id: id } = command;
  if (has('never-acknowledges')) return;
  if (has('believes-the-expiry') && Date.parse(command.expires_at) < Date.now()) return;
  if (has('ignores-what-comes-again') && said.has(id)) return;
  if (!said.has(id) || has('executes-twice')) {
    if (has('executes-twice') && said.has(id) && command.action === 'scale')
      setReplicas(command.deployment_id, 0);
    said.set(
      id,
      has('scales-wrong') && command.action === 'scale' ? { success: true } : await carryOut(command),
    );
  }
  const body = { command_id: has('answers-for-others') ? randomUUID() : id, ...said.get(id) };
  if (has('contradicts-itself')) said.set(id, { success: false, error: 'it was done before' });
  if (has('acknowledges-on-and-on'))
    for (let more = 0; more < 4; more++) await call('POST', '/agents/commands/acknowledge', body);
  await call('POST', '/agents/commands/acknowledge', body);
}

async function register() {
  const reply = await call('POST', '/agents/register', { version: '1.0.0' });
  const isStrict = has('minds-unknown-fields');
  const known = ['agent_id', 'status', 'message', 'heartbeat_interval_seconds', 'deployments'];
  if (isStrict && Object.keys(reply).some((name) => !known.includes(name))) throw new Error('what is that?');
}

process.on('SIGTERM', () => {
  if (!has('ignores-sigterm')) process.exit(0);
});
try {
  if (has('registers-late')) await beat();
  if (!has('never-registers')) await register();
  await Promise.all([keepBeating(), keepPolling()]);
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  if (has('works-on-when-refused')) await delay(1_000_000_000);
  process.exit(has('is-content-when-refused') ? 0 : 1);
}

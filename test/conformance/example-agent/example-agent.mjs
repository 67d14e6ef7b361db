// A minimal correct agent. Each of its traits is a fault, or another correct behaviour. Many may run in the process of
// a test at once.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ended, ExampleLink, pause, Refused } from './example-link.mjs';
import { ExampleDeployments } from './example-deployments.mjs';
import { ExampleRuns } from './example-runs.mjs';

const MOST_ENTRIES = 100;

export function startExampleAgent(environment, traits) {
  const agent = new ExampleAgent(environment, traits);
  void agent.run();
  return agent;
}

class ExampleAgent {
  output = '';
  said = new Map(); // command id -> body of its acknowledgement
  taken = new Set();
  turns = new Map(); // deployment id -> promise of its last command
  logs = [];
  noLogsBefore = 0;
  batch; // number of logs being sent, and their key, until a reply says whether they were stored
  isLogging = true;
  intervalMs = 1_000;
  wake = () => undefined;
  /** Aborted when no new work may begin. */
  working = new AbortController();
  /** Aborted when the agent has ended. */
  living = new AbortController();

  constructor(environment, traits) {
    const { SERVICE_API_URL, SERVICE_AGENT_KEY, CONFORMANCE_REPLICA_URL, CONFORMANCE_DIRECTORY } =
      environment;
    this.has = (trait) => traits.includes(trait);
    this.journal = join(CONFORMANCE_DIRECTORY, 'journal.json');
    if (existsSync(this.journal) && !this.has('forgets-its-journal'))
      this.said = new Map(JSON.parse(readFileSync(this.journal, 'utf8')));
    this.link = new ExampleLink(SERVICE_API_URL, SERVICE_AGENT_KEY, this.has);
    this.link.whenAway = () => this.whenAway();
    this.deployments = new ExampleDeployments({
      has: this.has,
      replicaUrl: CONFORMANCE_REPLICA_URL,
      life: this.living.signal,
      whenChanged: () => {
        if (!this.has('waits-for-the-interval')) this.wake();
      },
      log: (message) => this.logs.push({ level: 'info', message, timestamp: this.timestamp() }),
    });
    this.runs = new ExampleRuns({
      has: this.has,
      link: this.link,
      deployments: this.deployments,
      journal: join(CONFORMANCE_DIRECTORY, 'runs.json'),
      whenChanged: () => this.wake(),
    });
    this.ended = new Promise((resolve) => (this.resolve = resolve));
  }

  timestamp() {
    const hours = this.has('lives-ahead') ? 2 : 0;
    return new Date(Date.now() + hours * 3_600_000).toISOString();
  }

  async run() {
    const { signal } = this.working;
    try {
      if (this.has('registers-late')) await this.beat(signal);
      const isNew = !existsSync(this.journal) || !this.has('never-registers-again');
      if (!this.has('never-registers') && isNew) await this.register(signal);
      this.runs.takeUp(signal);
      await Promise.all([this.keepBeating(signal), this.keepPolling(signal), this.runs.keepClaiming(signal)]);
    } catch (error) {
      if (error instanceof Ended) return;
      if (!(error instanceof Refused)) this.output += `${error.stack}\n`;
      if (error instanceof Refused && this.has('works-on-when-refused')) return;
      this.exit(error instanceof Refused && this.has('is-content-when-refused') ? 0 : 1);
    }
  }

  terminate() {
    if (this.has('ignores-sigterm') || this.working.signal.aborted) return;
    this.working.abort();
    void this.sendLastHeartbeat()
      .catch(() => undefined)
      .then(() => this.exit(0));
  }

  kill() {
    this.exit(null);
  }

  exit(code) {
    this.working.abort();
    this.living.abort();
    this.deployments.endAtOnce();
    this.runs.endAtOnce();
    this.link.close();
    this.resolve(code);
  }

  async sendLastHeartbeat() {
    const { signal } = this.living;
    await this.deployments.end();
    if (this.has('sends-no-last-heartbeat')) return;
    const reports = this.deployments
      .reports()
      .map((report) => ({ ...report, status: 'running', ready_replicas: 0 }));
    const body = { status: 'stopped', deployments: reports };
    await this.link.call('POST', '/agents/heartbeat', body, signal);
    if (!this.has('forgets-waiting-logs')) await this.sendLogs(signal);
  }

  whenAway() {
    if (this.has('dies-in-outage')) this.exit(1);
    if (this.has('stops-in-outage')) this.deployments.endAtOnce();
  }

  // --- the loops

  async register(signal) {
    const { has } = this;
    const details = { version: '1.0.0', runs: this.runs.idsOfBefore };
    const reply = await this.link.call('POST', '/agents/register', details, signal);
    const known = ['agent_id', 'status', 'message', 'heartbeat_interval_seconds', 'deployments'];
    if (has('minds-unknown-fields') && Object.keys(reply).some((name) => !known.includes(name)))
      throw new Error('what is that?');
    if (!has('ignores-what-is-registered')) this.deployments.takeUp(reply.deployments);
  }

  async beat(signal) {
    const deployments = this.deployments.reports();
    const reports = this.has('never-reports') ? {} : { deployments };
    const body = { status: 'running', ...reports, runs: this.runs.ids };
    const reply = await this.link.call('POST', '/agents/heartbeat', body, signal, {
      mostMs: this.intervalMs,
    });
    if (reply.heartbeat_interval_seconds && !this.has('ignores-the-interval'))
      this.intervalMs = reply.heartbeat_interval_seconds * 1_000;
    this.runs.cancel(reply.cancel_runs);
    if (reply.register && !this.has('ignores-the-question')) await this.registerAgain(signal);
  }

  async registerAgain(signal) {
    const details = { version: '1.0.0', runs: this.runs.ids };
    const { deployments } = await this.link.call('POST', '/agents/register', details, signal);
    await this.deployments.takeBack(deployments);
  }

  async keepBeating(signal) {
    if (this.has('beats-between-polls')) return;
    for (;;) {
      let hasNews = false;
      const due = new Promise((resolve) => {
        this.wake = () => {
          hasNews = true;
          resolve();
        };
      });
      await this.beat(signal);
      await this.sendLogs(signal);
      if (!hasNews) await Promise.race([due, pause(this.intervalMs * 0.95, signal)]);
      if (hasNews) await pause(100, signal);
    }
  }

  async sendLogs(signal) {
    const { has, link } = this;
    if (has('logs-nothing')) return;
    while (this.isLogging && this.logs.length > 0 && Date.now() > this.noLogsBefore) {
      const most = has('sends-single-entries') ? 1 : MOST_ENTRIES;
      this.batch ??= { size: Math.min(most, this.logs.length), key: randomUUID() };
      const { size, key } = this.batch;
      const idempotencyKey = has('forgets-its-keys') ? randomUUID() : key;
      const body = has('sends-single-entries') ? this.logs[0] : { logs: this.logs.slice(0, size) };
      const reply = await link.call('POST', '/agents/logs', body, signal, { once: true, idempotencyKey });
      const { refusal, retryAfter } = reply;
      if (retryAfter !== undefined) {
        this.noLogsBefore = Date.now() + (has('ignores-retry-after') ? 0 : retryAfter * 1_000);
        if (!has('drops-what-failed')) return;
      }
      if (refusal && has('repeats-the-poisoned-batch')) return;
      this.batch = undefined;
      await this.afterAnswer(refusal, size, signal);
    }
  }

  async afterAnswer(refusal, size, signal) {
    const { has } = this;
    if (refusal === undefined) this.logs = this.logs.slice(size);
    else if (has('repeats-the-poison')) await pause(110, signal);
    else if (has('stops-logging')) this.isLogging = false;
    else if (refusal.status === 413 && size > 1 && !has('drops-what-is-too-large'))
      this.batch = { size: Math.floor(size / 2), key: randomUUID() };
    else if (refusal.status === 413) this.logs = this.logs.slice(size);
    else {
      const fields = (refusal.body?.errors ?? []).map(({ field }) => field ?? '');
      const named = fields.map((field) => Number(/^logs\.(\d+)\b/.exec(field)?.[1]));
      const isNamed = named.some((index) => index >= 0);
      this.logs = isNamed ? this.logs.filter((_, index) => !named.includes(index)) : this.logs.slice(size);
    }
  }

  async keepPolling(signal) {
    const { has } = this;
    const wait = has('polls-shortly') ? 1 : 20;
    const options = { timeoutMs: has('hangs-up') ? 1_500 : 25_000 };
    const poll = () => this.link.call('GET', `/agents/commands?wait=${wait}`, undefined, signal, options);
    for (;;) {
      if (has('beats-between-polls')) await this.beat(signal);
      const begun = performance.now();
      const { commands = [] } = await poll();
      for (const command of commands) this.take(command, signal);
      const isEarly = performance.now() - begun < wait * 500;
      if (commands.length > 0 || !isEarly) continue;
      // many at once, because the speed of single ones depends on the machine
      if (has('hammers-empty-polls')) for (let more = 0; more < 12; more++) poll().catch(() => undefined);
      else await pause(has('hurries-after-empty-polls') ? 120 : 500 + Math.random() * 1_500, signal);
    }
  }

  // --- commands

  take(command, signal) {
    const { command_id: id, deployment_id: deploymentId } = command;
    const { has } = this;
    if (has('never-acknowledges')) return;
    if (has('believes-the-expiry') && Date.parse(command.expires_at) < Date.now()) return;
    if (has('ignores-what-comes-again') && this.said.has(id)) return;
    if (this.taken.has(id) && !has('begins-again-when-the-lease-ends')) return;
    this.taken.add(id);
    const turn = async () => {
      await this.obey(command, signal);
      this.taken.delete(id);
      if (!has('waits-for-the-interval')) this.wake();
    };
    const before = has('begins-again-when-the-lease-ends') ? undefined : this.turns.get(deploymentId);
    const done = Promise.resolve(before).then(turn);
    this.turns.set(
      deploymentId,
      done.catch((error) => this.failed(error)),
    );
  }

  failed(error) {
    if (error instanceof Ended || error instanceof Refused) return;
    this.output += `${error.stack}\n`;
    this.exit(1);
  }

  async obey(command, signal) {
    const { command_id: id, action, deployment_id: deploymentId } = command;
    const { has } = this;
    if (!this.said.has(id) || has('executes-twice')) {
      if (has('executes-twice') && this.said.has(id) && action === 'scale')
        await this.deployments.of(deploymentId).replicas.resize(0);
      if (has('begins-again-when-the-lease-ends') && action === 'deploy')
        void this.deployments
          .of(deploymentId)
          .replicas.start()
          .catch(() => undefined);
      if (command.parameters.rolling && has('ends-runs-for-a-roll')) this.runs.endAtOnce();
      this.said.set(id, await this.deployments.carryOut(command));
      this.keep();
    }
    const body = { command_id: has('answers-for-others') ? randomUUID() : id, ...this.said.get(id) };
    if (has('contradicts-itself')) this.said.set(id, { success: false, error: 'it was done before' });
    const times = has('acknowledges-on-and-on') ? 5 : 1;
    for (let time = 0; time < times; time++)
      await this.link.call('POST', '/agents/commands/acknowledge', body, signal);
  }

  /** Writes the journal, so that the next process knows what was done. */
  keep() {
    writeFileSync(`${this.journal}.new`, JSON.stringify([...this.said]));
    renameSync(`${this.journal}.new`, this.journal);
  }
}

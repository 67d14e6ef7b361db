// Runs of the example agent: its work is one request to the address in the input of a run.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { pause } from './example-link.mjs';

/** Number of runs that the agent has at once, unless the config of a deployment says so. */
const SLOTS = 2;
const LOOKS_MS = 100;

export class ExampleRuns {
  held = new Map(); // id -> { run, work, isCancelled }
  waiting = []; // runs that were taken and not begun
  failures = 0;

  /** @param options `has`, `link`, `deployments`, `journal`, `whenChanged` */
  constructor(options) {
    Object.assign(this, options);
  }

  /** The ids that heartbeats name. */
  get ids() {
    if (this.has('leaves-runs-out')) return [];
    return [...this.held.keys(), ...(this.has('invents-runs') ? [randomUUID()] : [])];
  }

  /** The part of a registration about the runs of the previous process. */
  get idsOfBefore() {
    if (!this.has('begins-runs-again')) return [];
    return this.before().map(({ run_id: id }) => id);
  }

  before() {
    return existsSync(this.journal) ? JSON.parse(readFileSync(this.journal, 'utf8')) : [];
  }

  /** Begins the runs of the process before again, where that is its fault. */
  takeUp(signal) {
    if (!this.has('begins-runs-again') && !this.has('goes-on-with-abandoned-runs')) return;
    for (const run of this.before()) this.begin(run, signal);
  }

  /** Undefined: the agent takes no runs. */
  get slots() {
    const { has, deployments } = this;
    const active = [...deployments.all.values()].filter(({ isStopped, count }) => !isStopped && count > 0);
    if (!has('runs-programs')) return active.length > 0 ? SLOTS : undefined;
    return active.map(({ replicas }) => replicas.config.run?.concurrency).find((it) => it !== undefined);
  }

  get room() {
    const { slots = 0 } = this;
    if (this.has('takes-more-than-it-has-room-for') && slots > 0) return 10;
    if (this.has('takes-what-it-can-not-begin') && slots > 0) return 10;
    return Math.max(0, slots - this.held.size);
  }

  async keepClaiming(signal) {
    const { has, link } = this;
    let key = randomUUID();
    while (!has('takes-no-runs') && !has('reports-the-least')) {
      if (this.room === 0) {
        await pause(LOOKS_MS, signal);
        continue;
      }
      const begun = performance.now();
      const body = { limit: this.room, wait: 20 };
      const options = { once: true, timeoutMs: 25_000, idempotencyKey: key };
      const reply = await link.call('POST', '/agents/runs/claim', body, signal, options);
      if (reply.retryAfter !== undefined) {
        if (has('claims-under-another-key')) key = randomUUID();
        const failed = { status: 0, retryAfter: reply.retryAfter };
        await pause(link.pauseAfter(failed, this.failures++), signal);
        continue;
      }
      this.failures = 0;
      key = randomUUID();
      const { runs = [], cancel_runs: toCancel = [] } = reply;
      this.cancel(toCancel);
      for (const run of runs) this.take(run, signal);
      if (has('claims-once') && runs.length > 0) return;
      const isEarly = performance.now() - begun < 10_000;
      if (runs.length + toCancel.length === 0 && isEarly) await pause(500 + Math.random() * 1_500, signal);
    }
  }

  take(run, signal) {
    const older = this.held.get(run.run_id);
    if (older && !this.has('begins-beside-older-attempts')) {
      if (older.run.attempt >= run.attempt || this.has('goes-on-with-older-attempts')) return;
      older.newer = run;
      older.work?.destroy(new Error('it was given up'));
      return;
    }
    const isFull = this.held.size >= (this.slots ?? 0);
    if (this.has('takes-what-it-can-not-begin') && isFull) this.waiting.push(run);
    else this.begin(run, signal);
  }

  begin(run, signal) {
    const held = { run, isCancelled: false };
    this.held.set(run.run_id, held);
    this.keep();
    this.whenChanged();
    void this.carryOut(held, signal).catch(() => undefined);
  }

  async carryOut(held, signal) {
    const { run } = held;
    const end = await this.approvedWork(held, signal).then(
      (output) => ({ status: 'succeeded', output }),
      (error) => ({ status: held.isCancelled ? 'cancelled' : 'failed', error: error.message }),
    );
    if (signal.aborted) return;
    const name = { run_id: run.run_id, ...(!this.has('names-no-attempts') && { attempt: run.attempt }) };
    const report = (said) => this.link.call('POST', '/agents/runs', { runs: [{ ...name, ...said }] }, signal);
    if (this.has('forgets-ended-runs')) this.held.delete(run.run_id);
    if (!this.has('never-reports-runs')) await report(end);
    if (this.has('ends-runs-twice')) await report({ status: 'failed', error: 'it did not work' });
    this.held.delete(run.run_id);
    if (held.newer) return this.begin(held.newer, signal);
    this.keep();
    this.whenChanged();
    if (this.waiting.length > 0) this.begin(this.waiting.shift(), signal);
  }

  /** Does the work of a run, which people approve first where its input says so. */
  async approvedWork(held, signal) {
    const { run_id, input } = held.run;
    if (input.approval) {
      const state = this.decided({ run_id, ...input.approval }, signal);
      // one that acts before waits for nothing
      state.catch(() => undefined);
      if (!this.has('acts-before-the-decision') && (await state) !== 'approved' && !this.has('acts-anyway'))
        throw new Error('nobody has approved it');
    }
    return this.work(held);
  }

  /** @returns the state of a question when a person has decided */
  async decided(question, signal) {
    let key = randomUUID();
    let approval = {};
    for (let failures = 0; approval.state === undefined; failures++) {
      const body = { approval_key: key, ...question };
      approval = await this.link.call('POST', '/agents/approvals', body, signal, { once: true });
      if (approval.retryAfter === undefined) continue;
      if (this.has('asks-under-another-key')) key = randomUUID();
      await pause(this.link.pauseAfter({ status: 0, retryAfter: approval.retryAfter }, failures), signal);
    }
    const path = `/agents/approvals/${approval.id}?wait=20`;
    while (approval.state === 'pending')
      approval = await this.link.call('GET', path, undefined, signal, { timeoutMs: 25_000 });
    return approval.state;
  }

  /** @returns the answer to the request of the input */
  work(held) {
    const { address } = held.run.input;
    const url = this.has('runs-programs') ? address.replace('/run/', '/run-program/') : address;
    return new Promise((resolve, reject) => {
      held.work = get(url, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        response.on('error', reject).on('end', () => resolve(JSON.parse(text)));
      }).on('error', reject);
    });
  }

  /** @param ids of runs that are to be ended early */
  cancel(ids = []) {
    if (this.has('ignores-cancellations')) return;
    for (const id of ids) {
      const held = this.held.get(id);
      if (!held) continue;
      held.isCancelled = true;
      held.work?.destroy(new Error('it was cancelled'));
    }
  }

  endAtOnce() {
    for (const { work } of this.held.values()) work?.destroy();
  }

  /** Writes the runs, so that the next process knows what was begun. */
  keep() {
    writeFileSync(this.journal, JSON.stringify([...this.held.values()].map(({ run }) => run)));
  }
}

// The replicas of one deployment of the example agent. Each is a connection to the conformance kit; with
// `has('runs-programs')` it is one of a program of the kit, with the settings of `config`.
import { get, request } from 'node:http';
import { pause } from './example-link.mjs';

/** First pause before a replica that has died is started again; it doubles each time. */
const RESTART_MS = 250;
const READINESS_LOOKS_MS = 100;
const GRACE_MS = 5_000;

export class ExampleReplicas {
  /** @type {Set<{ connection: import('node:http').ClientRequest, isReady: boolean, isWanted: boolean, endMs: number }>} */
  all = new Set();
  config = {};
  /** Number of replicas that have ended well and are not started again. */
  done = 0;
  /** The replicas that a rolling restart has still to replace. */
  older = [];
  deaths = 0;
  resizes = 0;

  /** @param whenChanged called when a replica has become ready, or has ended */
  constructor({ replicaUrl, has, life, whenChanged }) {
    Object.assign(this, { replicaUrl, has, life, whenChanged });
  }

  get ready() {
    return [...this.all].filter(({ isReady }) => isReady).length;
  }

  /** @throws if one can't be started; resolves when all are ready */
  async resize(count, isKill = false) {
    // pending restarts are not needed any more
    this.resizes++;
    this.deaths = 0;
    this.older = [];
    const surplus = [...this.all].slice(count);
    await Promise.all(surplus.map((replica) => this.end(replica, isKill)));
    const missing = Array.from({ length: Math.max(0, count - this.all.size) }, () => this.start());
    await Promise.all(missing);
  }

  /** Replaces the replicas one after another. @param whenBegun called when the first one has ended */
  async roll(whenBegun) {
    const resizes = ++this.resizes;
    this.older = [...this.all];
    if (this.has('forgets-the-last')) this.older.pop();
    for (; this.older.length > 0; this.older.shift()) {
      const [next] = this.older;
      if (this.all.has(next)) await this.end(next);
      whenBegun();
      if (resizes !== this.resizes) return;
      const started = this.start().catch(() => this.startAgain());
      if (!this.has('rolls-without-waiting')) await started;
      if (resizes !== this.resizes) return;
    }
    this.whenChanged();
  }

  async start() {
    const endMs = Number(/end-ms=(\d+)/.exec(this.config.command)?.[1] ?? 0);
    const replica = { isReady: false, isWanted: true, endMs, connection: this.connect() };
    this.all.add(replica);
    try {
      await this.begun(replica);
    } catch (error) {
      this.all.delete(replica);
      throw error;
    }
    this.whenChanged();
  }

  connect() {
    if (!this.has('runs-programs')) return get(this.replicaUrl);
    const [program] = this.config.command;
    if (program === '/nonexistent/program') throw new Error(`${program} can't be started`);
    const url = this.config.command.at(-1);
    const { search, searchParams } = new URL(url);
    const connection = request(new URL(`/program${search}`, url), { method: 'POST' });
    connection.flushHeaders();
    if (!searchParams.has('child')) return connection;
    const child = get(new URL('/child', url)).on('error', () => undefined);
    if (!this.has('leaves-grandchildren')) connection.on('close', () => child.destroy());
    return connection;
  }

  /** Resolves when it is ready. */
  begun(replica) {
    const { connection } = replica;
    connection.on('error', () => undefined);
    return new Promise((resolve, reject) => {
      connection.on('close', () => {
        reject(new Error('the replica can not be started'));
        if (replica.isReady) this.lost(replica);
      });
      const isThere = new Promise((there) =>
        connection.on('response', (response) => {
          response.on('error', () => undefined).resume();
          response.on('end', () => {
            replica.hasEndedWell = true;
            connection.destroy();
          });
          there();
        }),
      );
      this.isPassed(isThere).then(() => {
        replica.isReady = true;
        resolve();
      }, reject);
    });
  }

  /** Waits for the readiness check of the configuration; without one, for the reply to the connection. */
  async isPassed(isThere) {
    const address = this.config.readiness?.command?.at(-1);
    if (!this.has('runs-programs') || !address?.startsWith('http')) return isThere;
    for (;;) {
      const status = await new Promise((resolve) =>
        get(address, (response) => resolve(response.resume().statusCode)).on('error', () => resolve(0)),
      );
      if (status === 200) return;
      await pause(READINESS_LOOKS_MS, this.life);
    }
  }

  lost(replica) {
    this.all.delete(replica);
    const isForGood = replica.hasEndedWell && this.config.restart?.when === 'failed';
    if (replica.isWanted && isForGood) {
      this.done++;
      this.whenChanged();
      if (!this.has('starts-the-done-again') || this.all.size > 0) return;
    }
    if (!replica.isWanted || this.life.aborted || this.has('leaves-the-dead')) return this.whenChanged();
    this.whenChanged();
    this.startAgain().catch(() => undefined);
  }

  async startAgain() {
    const { resizes } = this;
    await pause(this.has('restarts-without-a-pause') ? 0 : RESTART_MS * 2 ** this.deaths++, this.life);
    if (resizes !== this.resizes) return;
    await this.start().catch(() => this.startAgain());
  }

  /** Ends like a program on SIGTERM: reports the signal, takes its time, and disconnects. */
  async end(replica, isKill) {
    replica.isWanted = false;
    this.all.delete(replica);
    const { connection } = replica;
    const gone = new Promise((resolve) => connection.once('close', resolve));
    const isAtOnce = isKill ? !this.has('asks-before-a-kill') : this.has('kills-at-once');
    if (this.has('runs-programs') && !isAtOnce) {
      connection.write('asked to end\n');
      await pause(Math.max(20, Math.min(replica.endMs, GRACE_MS)), this.life).catch(() => undefined);
    }
    connection.destroy();
    await gone;
  }

  endAtOnce() {
    for (const replica of this.all) {
      replica.isWanted = false;
      replica.connection.destroy();
    }
    this.all.clear();
  }
}

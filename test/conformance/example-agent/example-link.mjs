// The example agent's calls to the service: repeated until there is a reply, with growing pauses.
import { Agent, request } from 'node:http';

/** Thrown when the agent ends. */
export class Ended extends Error {}

/** Thrown when the key is refused permanently. */
export class Refused extends Error {}

const [FIRST_CEILING_MS, LONGEST_CEILING_MS, SHORTEST_PAUSE_MS] = [500, 30_000, 100];
const REFUSALS_FOR_GOOD = 3;

/** Milliseconds. @throws Ended */
export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new Ended());
    const end = () => {
      clearTimeout(timer);
      reject(new Ended());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', end, { once: true });
  });
}

export class ExampleLink {
  connections = new Agent({ keepAlive: true });
  refusals = 0;
  /** @type {() => void} called when no server listens */
  whenAway = () => undefined;

  constructor(url, key, has) {
    Object.assign(this, { url, key, has });
  }

  close() {
    this.connections.destroy();
  }

  /**
   * @returns the reply's body; `{ refusal }` for a refusal that a retry can't change; with `once`, `{ retryAfter }` for
   * a failure
   * @throws Refused; Ended when the signal aborts
   */
  async call(method, path, body, signal, { once = false, timeoutMs = 5_000, mostMs, idempotencyKey } = {}) {
    const { has } = this;
    for (let failures = 0; ; failures++) {
      const reply = await this.attempt(method, path, body, { timeoutMs, idempotencyKey, signal });
      if (signal.aborted) throw new Ended();
      if (reply.status === 200 || reply.status === 201) {
        if (reply.body !== undefined) {
          this.refusals = 0;
          return reply.body;
        }
        if (has('dies-of-pages')) throw new Error('that was no JSON');
      }
      if (reply.status === 401 && !has('hammers-when-refused')) this.refused();
      if (reply.status === 503 && has('gives-up-on-503')) await pause(1_000_000_000, signal);
      const isRetried = [401, 429, ...(has('repeats-after-404') ? [404] : [])];
      const isFinal = reply.status >= 400 && reply.status < 500 && !isRetried.includes(reply.status);
      if (isFinal) return { refusal: reply };
      if (once) return { retryAfter: reply.retryAfter };
      await pause(this.pauseAfter(reply, failures, mostMs), signal);
    }
  }

  refused() {
    this.refusals++;
    if (this.refusals >= REFUSALS_FOR_GOOD || this.has('ends-at-one-401')) throw new Refused();
  }

  /** Milliseconds. */
  pauseAfter({ status, retryAfter }, failures, mostMs = LONGEST_CEILING_MS) {
    const { has } = this;
    if (has('never-backs-off') || (status === 401 && has('hammers-when-refused'))) return 1;
    const wanted = has('ignores-retry-after') ? 0 : retryAfter * 1_000;
    if (has('pauses-constantly')) return wanted + 300;
    if (has('pauses-at-random')) return wanted + SHORTEST_PAUSE_MS + Math.random() * 600;
    const ceiling = Math.min(mostMs, FIRST_CEILING_MS * 2 ** failures);
    const random = has('pauses-without-jitter') ? 1 : Math.random();
    return wanted + Math.max(SHORTEST_PAUSE_MS, ceiling * random);
  }

  async attempt(method, path, body, { timeoutMs, idempotencyKey, signal }) {
    const headers = { authorization: `Bearer ${this.key}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    const hasKeyInUrl = this.has('puts-its-key-in-urls');
    const at = hasKeyInUrl ? `${path}${path.includes('?') ? '&' : '?'}key=${this.key}` : path;
    const text = body === undefined ? undefined : JSON.stringify(body);
    try {
      const options = { method, headers, agent: this.connections, signal };
      const { status, retryAfter, reply } = await exchange(`${this.url}${at}`, options, text, timeoutMs);
      const answer = parsed(reply);
      const isOwn =
        status === 200 ||
        status === 201 ||
        (answer?.statusCode === status && answer.request_id !== undefined);
      // a page of a proxy counts as no answer
      return isOwn || this.has('believes-pages')
        ? { status, retryAfter, body: answer }
        : { status: 0, retryAfter };
    } catch (error) {
      if (error.code === 'ECONNREFUSED') this.whenAway();
      return { status: 0, retryAfter: 0 };
    }
  }
}

function exchange(url, options, text, timeoutMs) {
  return new Promise((resolve, reject) => {
    const call = request(url, options, (response) => {
      let reply = '';
      response.setEncoding('utf8').on('data', (chunk) => (reply += chunk));
      response.on('error', reject).on('end', () => {
        clearTimeout(timer);
        resolve({
          status: response.statusCode,
          retryAfter: Number(response.headers['retry-after'] ?? 0),
          reply,
        });
      });
    });
    const timer = setTimeout(() => call.destroy(new Error('too late')), timeoutMs);
    call.on('close', () => clearTimeout(timer));
    call.on('error', reject).end(text);
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { readFileSync } from 'node:fs';

export interface SampleRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface Sample {
  readonly request: SampleRequest;
  readonly status: number;
  readonly reply: unknown;
}

/** In the order in which their samples are played. */
const PAGES = ['docs/runtime-protocol.md', 'docs/runtime-protocol-work.md'];

export const PROTOCOL = readFileSync('docs/runtime-protocol.md', 'utf8');

/** The requests of the pages with their replies, in order. */
export function samplesOfPages(): Sample[] {
  return PAGES.flatMap((page) => samplesOf(readFileSync(page, 'utf8')));
}

/**
 * Requests and replies alternately, each after an empty line. Each has a first line, headers, and a body that begins
 * with a brace.
 */
export function samplesOf(page: string): Sample[] {
  return [...page.matchAll(/```http\n([\s\S]*?)```/g)].flatMap(([, block]) => {
    const messages = block!.split('\n\n').map(messageOf);
    return messages.flatMap((request, index) =>
      index % 2 === 0 ? [sampleOf(request, messages[index + 1]!)] : [],
    );
  });
}

function sampleOf(request: Message, reply: Message): Sample {
  const [, method = '', path = ''] = /^(\w+) (\S+)$/.exec(request.line)!;
  return {
    request: { method, path, headers: request.headers, body: request.body },
    status: Number(/^HTTP\/1.1 (\d+)/.exec(reply.line)?.[1]),
    reply: reply.body,
  };
}

type Message = ReturnType<typeof messageOf>;

function messageOf(text: string) {
  const start = text.search(/^\{/m);
  const head = (start < 0 ? text : text.slice(0, start)).trim();
  const [line = '', ...headers] = head.split('\n');
  return {
    line,
    headers: Object.fromEntries(headers.map(headerOf)),
    body: start < 0 ? undefined : (JSON.parse(text.slice(start)) as unknown),
  };
}

function headerOf(line: string): [name: string, value: string] {
  const [, name = '', value = ''] = /^(\S+): (.*)$/.exec(line)!;
  return [name.toLowerCase(), value];
}

const UUID = /^(?:user:)?[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const KEY = /^svc_agent_/;
const TRACE = /^00-[\da-f]{32}-[\da-f]{16}-01$/;

/** Placeholders of the page for values that are known only when the samples are played. */
export class Bindings {
  private readonly bound = new Map<string, string>();

  /** The value, with all known placeholders replaced. */
  filled<T>(value: T): T {
    if (value === undefined) return value;
    let text = JSON.stringify(value);
    for (const [sample, actual] of this.bound) text = text.replaceAll(sample, actual);
    return JSON.parse(text) as T;
  }

  /**
   * The reply in the page's terms: ids by the page's names, and the page's time for any time. Learns unknown ids. A
   * remaining difference from the page's reply is a mistake of the page.
   */
  asInPage(sample: unknown, actual: unknown, name = ''): unknown {
    if (typeof sample === 'string' && typeof actual === 'string') return this.text(sample, actual);
    // seconds go by
    if (name === 'uptime_seconds' && typeof actual === 'number') return sample;
    if (Array.isArray(sample) && Array.isArray(actual)) {
      return actual.map((item, index) => this.asInPage(sample[index], item));
    }
    if (typeof actual !== 'object' || actual === null || typeof sample !== 'object' || sample === null)
      return actual;
    const known = sample as Record<string, unknown>;
    return Object.fromEntries(
      Object.entries(actual).map(([key, value]) => [key, this.asInPage(known[key], value, key)]),
    );
  }

  private text(sample: string, actual: string): string {
    if (TIME.test(sample) && TIME.test(actual)) return sample;
    if (KEY.test(sample) && KEY.test(actual)) return sample;
    if (TRACE.test(sample) && TRACE.test(actual)) return sample;
    if (!UUID.test(sample) || !UUID.test(actual)) return actual;
    if (!this.bound.has(sample)) this.bound.set(sample, actual);
    return this.bound.get(sample) === actual ? sample : actual;
  }
}

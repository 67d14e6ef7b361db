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
  readonly replyHeaders: Readonly<Record<string, string>>;
  readonly reply: unknown;
}

export const PAGE = readFileSync('docs/runtime-protocol.md', 'utf8');

/** The page's requests, each with the reply after it, in their order. */
export function samplesOfPage(): Sample[] {
  const blocks = [...PAGE.matchAll(/```http\n([\s\S]*?)```/g)].map(([, block]) => block!);
  return Array.from({ length: blocks.length / 2 }, (_, index) => {
    const [head, body] = halves(blocks[index * 2]!);
    const [line = '', ...headerLines] = head.split('\n');
    const [, method = '', path = ''] = /^(\w+) (\S+)$/.exec(line) ?? [];
    const [replyHead, reply] = halves(blocks[index * 2 + 1]!);
    const [statusLine = '', ...replyHeaderLines] = replyHead.split('\n');
    return {
      request: {
        method,
        path,
        headers: headersOf(headerLines),
        body: json(body),
      },
      status: Number(/^HTTP\/1.1 (\d+)/.exec(statusLine)?.[1]),
      replyHeaders: headersOf(replyHeaderLines),
      reply: json(reply),
    };
  });
}

function headersOf(lines: readonly string[]): Record<string, string> {
  const headers = lines.map((line) => /^(\S+): (.*)$/.exec(line)!.slice(1));
  return Object.fromEntries(headers.map(([name, value]) => [name!.toLowerCase(), value!]));
}

function halves(block: string): [string, string] {
  const [head = '', ...rest] = block.split('\n\n');
  return [head.trim(), rest.join('\n\n').trim()];
}

function json(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const KEY = /^svc_agent_/;

/** What stands in the page for what only turns out when the samples are played. */
export class Bindings {
  private readonly bound = new Map<string, string>();

  /** The value with everything in it replaced that is known by now. */
  filled<T>(value: T): T {
    if (value === undefined) return value;
    let text = JSON.stringify(value);
    for (const [sample, actual] of this.bound) text = text.replaceAll(sample, actual);
    return JSON.parse(text) as T;
  }

  /**
   * The reply as the page would have it: ids by the page's names, any time for a time. Learns ids it has not met.
   * What is then not equal to the page's reply is a mistake of the page's.
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
    if (!UUID.test(sample) || !UUID.test(actual)) return actual;
    if (!this.bound.has(sample)) this.bound.set(sample, actual);
    return this.bound.get(sample) === actual ? sample : actual;
  }
}

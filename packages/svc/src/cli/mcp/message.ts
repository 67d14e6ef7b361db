/** A message of JSON-RPC 2.0: a request, a notification without an id, or the answer to a request. */
export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

/** @returns undefined for a text that is no JSON; `none` for JSON that is no message */
export function messageIn(text: string): Message | 'none' | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isMessage(parsed) ? parsed : 'none';
  } catch {
    return undefined;
  }
}

export function isRequest({ id, method }: Message): boolean {
  return method !== undefined && id !== undefined;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMessage(value: unknown): value is Message {
  return (
    isRecord(value) &&
    value.jsonrpc === '2.0' &&
    ['string', 'undefined'].includes(typeof value.method) &&
    (value.params === undefined || isRecord(value.params))
  );
}

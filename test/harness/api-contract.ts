import type { IncomingMessage } from 'node:http';
import { document, isOf, mismatches as mismatchesAt, pointerTo, resolved } from './document-schemas.mjs';
import { violation } from './violations.js';

/** A reply to any client of the tests. */
export interface SeenReply {
  readonly method: string;
  /** The path as it was sent, with the query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body if it is JSON, else text. */
  readonly body: unknown;
}

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Pattern of the requested path. */
  readonly pattern: RegExp;
  readonly pointer: string;
  readonly responses: Readonly<Record<string, any>>;
  /** Headers of a rate limit, which refusals have like the success. */
  readonly limitHeaders: Readonly<Record<string, any>>;
}

/**
 * Headers that a connection, a proxy or a body needs, and those of every reply by the introduction: they belong to no
 * operation.
 */
const NOBODYS_HEADERS =
  /^(connection|keep-alive|date|content-(length|type)|transfer-encoding|cache-control|x-content-type-options|strict-transport-security|content-security-policy|x-accel-buffering|x-request-id)$/;
/** Statuses of Node's own refusals, before there is a request for an operation. */
const UNREADABLE = [400, 408, 413, 417, 421, 431];
/**
 * Statuses that `default` documents if an operation does not list them. Suites that break the service on purpose get
 * 500.
 */
const UNDER_DEFAULT = [400, 408, 413, 415, 417, 421, 431, 500];
/** Statuses whose replies say how long to wait. */
const TRY_AGAIN = [429, 503];
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Fixed paths before those with parameters, in the service's order of matching. */
const operations = Object.entries<Record<string, any>>(document.paths)
  .sort(([one], [other]) => one.split('{').length - other.split('{').length)
  .flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method): Operation => {
      return {
        id: item[method].operationId,
        method: method.toUpperCase(),
        path,
        pattern: new RegExp(`^${path.replace(/(?<=.)\/$/, '').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        pointer: pointerTo('paths', path, method),
        responses: item[method].responses,
        limitHeaders: limitHeadersOf(item[method].responses),
      };
    }),
  );
/** Ids of the operations that have answered with a documented success since this suite began. */
export const succeeded = new Set<string>();

/**
 * Checks that a reply is as the committed document says, in status, headers, content type and body, with nothing more.
 * Every client of the tests calls it, so that no suite can forget to.
 *
 * @throws Error naming the difference; it also fails the test if it is caught
 */
export function expectDocumented(reply: SeenReply): void {
  const problems = problemsOf(reply);
  if (problems.length === 0) {
    if (reply.status < 300) succeeded.add(operationFor(reply.method, reply.path)?.id ?? '');
    return;
  }
  const { method, path, status, body } = reply;
  const shown = JSON.stringify(body)?.slice(0, 500);
  throw violation(
    `${method} ${path} answered ${status}, not as documented: ${problems.join('; ')}\n${shown}`,
  );
}

/** Checks a reply that did not come through `fetch`. */
export function expectIncomingDocumented(
  asked: Pick<SeenReply, 'method' | 'path'>,
  reply: IncomingMessage,
  text: string,
): void {
  const headers = new Headers();
  for (const [name, value] of Object.entries(reply.headers)) headers.set(name, String(value));
  const isJson = text !== '' && typeOf(headers) === 'application/json';
  const body: unknown = isJson ? JSON.parse(text) : text;
  expectDocumented({ ...asked, status: reply.statusCode ?? 0, headers, body });
}

/** Checks the data of an event of a live stream. */
export function expectDocumentedEvent(path: string, data: unknown): void {
  if (!isOwn(path)) return;
  const operation = operationFor('GET', path);
  const problems = operation
    ? mismatches([operation.pointer, pointerTo('responses', '200', 'content', 'text/event-stream')], data)
    : ['there is no such stream'];
  if (problems.length > 0)
    throw violation(
      `An event of ${path} is not as documented: ${problems.join('; ')}\n${JSON.stringify(data)}`,
    );
}

/** Checks a message that a webhook's receiver got. */
export function expectDocumentedMessage(headers: Readonly<Record<string, string>>, body: string): void {
  const message = JSON.parse(body) as { type: string };
  const [item, pointers] = resolved(document.webhooks[message.type] ?? {}, []);
  const { post } = item;
  const parameters = (post?.parameters ?? []).map((parameter: any) => resolved(parameter, [])[0]);
  const missing = parameters.filter(({ name }: any) => headers[name] === undefined);
  const problems = post
    ? [
        ...missing.map(({ name }: any) => `${name} is missing`),
        ...mismatches(
          [...pointers, pointerTo('post', 'requestBody', 'content', 'application/json')],
          message,
        ),
      ]
    : [`no webhook is called ${message.type}`];
  if (problems.length > 0) throw violation(`A message is not as documented: ${problems.join('; ')}\n${body}`);
}

function problemsOf({ method, path, status, headers, body }: SeenReply): string[] {
  const operation = operationFor(method, path);
  // A path may have GET and no HEAD.
  if (method === 'HEAD' && status === 405) return strayProblems(method, path, status, headers, body);
  const isUnreadable = UNREADABLE.includes(status) && headers.get('connection') === 'close';
  if (!operation || isUnreadable || !isOwn(path)) return strayProblems(method, path, status, headers, body);
  const isListed = `${status}` in operation.responses || !UNDER_DEFAULT.includes(status);
  const key = isListed ? String(status) : 'default';
  if (!operation.responses[key]) return ['the status is not documented'];
  const [response, responsePointer] = resolved(operation.responses[key], [
    operation.pointer,
    pointerTo('responses', key),
  ]);
  const own = [
    ...headerProblems({ ...operation.limitHeaders, ...response.headers }, headers),
    ...(headers.has('x-request-id') ? [] : ['X-Request-Id is missing']),
    ...(headers.has('retry-after') === TRY_AGAIN.includes(status) ? [] : ['Retry-After is out of place']),
  ];
  if (method === 'HEAD') return own;
  if (!response.content) return body === '' ? own : [...own, 'there is a body'];
  const type = typeOf(headers);
  if (!response.content[type]) return [...own, `the content type is ${type}`];
  if (status === 422 && /regular expression/.test(JSON.stringify(body)))
    return [...own, 'a person reads the message, and it has a regular expression in it'];
  if (type === 'text/event-stream') return own;
  if (type === 'application/x-ndjson') {
    const lines = String(body).split('\n').slice(0, -1);
    const pointers = [...responsePointer, pointerTo('content', type)];
    return [...own, ...lines.flatMap((line) => mismatches(pointers, JSON.parse(line)))];
  }
  return [...own, ...mismatches([...responsePointer, pointerTo('content', type)], body)];
}

function limitHeadersOf(responses: Operation['responses']): Readonly<Record<string, any>> {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const headers = successes.flatMap(([, response]) =>
    Object.entries(resolved(response, [])[0].headers ?? {}),
  );
  return Object.fromEntries(headers.filter(([name]) => name.startsWith('RateLimit-')));
}

/** Problems of a reply to a request without an operation: it must be an error document, or a page for people. */
function strayProblems(
  method: string,
  path: string,
  status: number,
  headers: Headers,
  body: unknown,
): string[] {
  if (status < 400) return isOwn(path) ? ['there is no such operation'] : [];
  if (status === 405 && !headers.get('allow')) return ['Allow is missing'];
  if (method === 'HEAD') return [];
  if (typeOf(headers) !== 'application/json') return [`the content type is ${typeOf(headers)}`];
  return mismatches([pointerTo('components', 'schemas', 'ErrorBody')], body, '');
}

/** Returns true for paths outside the document: its own routes, and those below `/api/`, which are the web server's. */
function isOwn(path: string): boolean {
  return !/^\/(docs\b|openapi\.json\b|api\/)/.test(path);
}

/** Fixed paths precede parameters, as in the service, for all methods. */
function operationFor(method: string, path: string): Operation | undefined {
  const bare = path.replace(/\?.*$/, '').replace(/(?<=.)\/$/, '');
  const asked = method === 'HEAD' ? 'GET' : method;
  const nearest = operations.find(({ pattern }) => pattern.test(bare));
  return operations.find((one) => one.path === nearest?.path && one.method === asked);
}

function headerProblems(described: Readonly<Record<string, any>>, headers: Headers): string[] {
  const names = new Map(Object.keys(described).map((name) => [name.toLowerCase(), name]));
  const surplus = [...headers.keys()].filter((name) => !names.has(name) && !NOBODYS_HEADERS.test(name));
  const wrong = [...names].flatMap(([lower, name]) => {
    const [header] = resolved(described[name], []);
    const value = headers.get(lower);
    if (value === null) return header.required ? [`${name} is missing`] : [];
    const typed = header.schema.type === 'integer' ? Number(value) : value;
    return isOf(header.schema, typed) ? [] : [`${name} is ${value}`];
  });
  return [...surplus.map((name) => `${name} is not documented`), ...wrong];
}

function mismatches(pointers: readonly string[], value: unknown, last = '/schema'): string[] {
  return mismatchesAt(`${pointers.join('')}${last}`, value);
}

function typeOf(headers: Headers): string {
  return headers.get('content-type')?.replace(/;.*/, '') ?? 'none';
}

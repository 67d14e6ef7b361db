import fc from 'fast-check';
import type { ApiDescription, Operation, Parameter } from '../harness/openapi.js';
import { binaryText, oddParameter, oddValue, valueOf } from './hostile-values.js';

export type Caller = 'nobody' | 'person' | 'agent' | 'stranger';

export interface HostileRequest {
  readonly operation: string;
  readonly method: string;
  /** Placeholders such as `{agent_id}` stand for ids of the caller's resources. */
  readonly path: string;
  readonly caller: Caller;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
/** Bytes that Node's client would not send in a header. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/g;

const rarely = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>, weight = 9) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd });

/** @param weight of null, relative to 1 for a value */
const absentOr = <T>(value: fc.Arbitrary<T>, weight: number) =>
  rarely<T | null>(fc.constant(null), value, weight);

/** Nearly correct requests, for every operation of the document. */
export function hostileRequests(api: ApiDescription): fc.Arbitrary<HostileRequest> {
  const odd = oddBody();
  const ofOperation = (operation: Operation) =>
    fc.record({
      operation: fc.constant(operation.id),
      method: rarely(fc.constant(operation.method), fc.constantFrom(...METHODS)),
      path: pathOf(api, operation),
      caller: rarely(
        fc.constant(usualCaller(operation)),
        fc.constantFrom<Caller>('nobody', 'person', 'agent', 'stranger'),
      ),
      headers: headersOf(operation),
      body: bodyOf(api, operation, odd),
    });
  return fc.oneof(...api.operations.map(ofOperation));
}

function usualCaller({ security }: Operation): Caller {
  if (security.length === 0) return 'nobody';
  return security.includes('agent_api_key') ? 'agent' : 'person';
}

function pathOf(api: ApiDescription, { path, parameters }: Operation): fc.Arbitrary<string> {
  const parts = path.split(/(\{\w+\})/).map((part) => {
    if (!part.startsWith('{')) return fc.constant(part);
    return rarely(fc.constant(part), fc.oneof(fc.uuid(), oddParameter.map(encoded)), 5);
  });
  const named = parameters.filter((parameter) => parameter.in === 'query').map((one) => queryOf(api, one));
  const stray = fc
    .tuple(oddParameter, oddParameter)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  const query = fc
    .tuple(...named, rarely(fc.constant(''), stray, 20))
    .map((given) => given.filter(Boolean).join('&'));
  const slash = rarely(fc.constant(''), fc.constant('/'), 20);
  return fc
    .tuple(fc.tuple(...parts), slash, query)
    .map(([path, end, text]) => `${path.join('')}${end}${text === '' ? '' : `?${text}`}`);
}

function queryOf(api: ApiDescription, { name, schema }: Parameter): fc.Arbitrary<string> {
  // A waiting poll would only take time.
  const usual = name === 'wait' ? fc.constant(0) : valueOf(api, schema);
  const one = rarely(usual.map(textOf), name === 'wait' ? fc.constant('61') : oddParameter, 4).map(
    (text) => `${name}=${encoded(text)}`,
  );
  const twice = fc.tuple(one, one).map((both) => both.join('&'));
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant('') },
    { weight: 5, arbitrary: one },
    { weight: 1, arbitrary: twice },
  );
}

function headersOf({ parameters }: Operation): fc.Arbitrary<Readonly<Record<string, string>>> {
  const isKeyed = parameters.some(({ name }) => name === 'Idempotency-Key');
  const odd = oddParameter.map((text) => text.replaceAll(UNSENDABLE, '?').slice(0, 400));
  const types = [
    'text/plain',
    'application/json; charset=latin1',
    'multipart/form-data',
    'application/json;',
    '',
  ];
  return fc
    .record({
      'content-type': rarely(fc.constant('application/json'), fc.oneof(fc.constantFrom(...types), odd), 30),
      'idempotency-key': absentOr(rarely(fc.uuid(), odd, 3), isKeyed ? 2 : 20),
      'x-request-id': absentOr(odd, 10),
      authorization: absentOr(odd, 30),
      'last-event-id': absentOr(odd, 10),
      expect: absentOr(fc.constantFrom('100-continue', 'a miracle'), 50),
      'content-encoding': absentOr(fc.constantFrom('gzip', 'br', 'identity', 'rot13'), 50),
      'x-forwarded-for': absentOr(odd, 20),
    })
    .map((headers) => {
      const given = Object.entries(headers).filter(
        (header): header is [string, string] => header[1] !== null,
      );
      return Object.fromEntries(given);
    });
}

function oddBody(): fc.Arbitrary<string> {
  const value = oddValue.map((odd) => JSON.stringify(odd));
  const broken = fc.tuple(value, fc.nat(200)).map(([text, at]) => text.slice(0, at));
  const twice = fc.tuple(oddValue, oddValue).map(([one, other]) => {
    const [first, second] = [JSON.stringify(one), JSON.stringify(other)];
    return `{"email":${first},"email":${second},"__proto__":${first},"constructor":${second}}`;
  });
  return fc.oneof(value, broken, twice, binaryText);
}

function bodyOf(
  api: ApiDescription,
  { body }: Operation,
  odd: fc.Arbitrary<string>,
): fc.Arbitrary<string | undefined> {
  const usual = body
    ? valueOf(api, body).map((value) => JSON.stringify(value, atOnce))
    : fc.constant(undefined);
  return fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

/** A waiting claim would only take time. */
function atOnce(name: string, value: unknown): unknown {
  return name === 'wait' && typeof value === 'number' && value <= 60 ? Math.min(value, 0) : value;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

import { jest } from '@jest/globals';
import { type Belongings, BELONGINGS_SETTINGS, giveBelongings } from '../builders/belongings.js';
import { type Person, registerPerson } from '../builders/people.js';
import { stayOffTheNet } from '../builders/webhooks.js';
import { ApiDescription, type Operation, type Schema } from '../harness/openapi.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';

/** Thousands of requests, many of a mebibyte, on a machine that may have other work to do. */
jest.setTimeout(300_000);

/** The beginning, the part that is repeated, and an end at which patterns that read the repetition fail. */
type Shape = readonly [begin: string, repeated: string, end: string];

const LETTERS: Shape = ['', 'n', ''];
const WORST: Readonly<Record<string, Shape>> = {
  digits: ['', '1', 'x'],
  'digits after a word': ['password', '1', '_'],
  blanks: ['x', ' ', 'x'],
  'lines and tabs': ['', '\n\t', 'x'],
  quotes: ['"', '\\"\'', 'x'],
  dots: ['a@b', '.', ' '],
  dashes: ['', '-', '.'],
  slashes: ['https://a', '/', '?'],
  addresses: ['', 'a@', '.'],
  'words of all classes': ['', 'aA1', '\u0000'],
  'combining marks': ['e', '\u0301', 'x'],
  'characters that become eighteen': ['', '\uFDFA', ''],
  'escape sequences': ['', '\u001b[3', '\u001b'],
  'opening brackets': ['', '<[{(', ''],
};

/** Bytes of a body for each shape: a slow pattern is seen by a small one, before it takes minutes over a large one. */
const SMALL_BODY_BYTES = 16 * 1024;
/** Bytes of a body with all shapes, one after the other: some 70 KiB of each. */
const LARGEST_BODY_BYTES = 1024 * 1024 - 4 * 1024;
/** Bytes of a query, within the 16 KiB of a request's headers. */
const QUERY_BYTES = 14 * 1024;

/** A turn may take that many times the processor time that plain letters take, and these milliseconds. */
const FACTOR = 10;
const FLOOR_MS = 50;
/** The best one counts: the garbage collector may work in any turn. */
const TRIES = 3;
/** Requests that are answered with 503 are sent again as often. */
const BUSY_TRIES = 5;

let service: TestApp;
let api: ApiDescription;
let person: Person;
let belongings: Belongings;

beforeAll(async () => {
  service = await startTestApp({ settings: BELONGINGS_SETTINGS });
  stayOffTheNet(service);
  api = await ApiDescription.of(service);
  person = await registerPerson(service);
  belongings = await giveBelongings(service, person);
});

afterAll(() => service.close());

/**
 * The longest turn of the event loop during some work, in milliseconds of processor time: what other programs take does not
 * count. The service runs in the test's process, so the figure includes the test's own work.
 */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let begun = process.cpuUsage();
  let isOver = false;
  const turn = () => {
    const { user, system } = process.cpuUsage(begun);
    longest = Math.max(longest, (user + system) / 1_000);
    begun = process.cpuUsage();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return longest;
}

type SizeOf = (text: string) => number;

/** A text of a shape. @param sizeOf the bytes of a text as it is sent */
function textOf([begin, repeated, end]: Shape, bytes: number, sizeOf: SizeOf): string {
  return `${begin}${repeated.repeat(Math.floor(bytes / sizeOf(repeated)))}${end}`;
}

const eachShape = (bytes: number, sizeOf: SizeOf) =>
  Object.entries(WORST).map(([name, shape]) => [name, textOf(shape, bytes, sizeOf)] as const);

function allShapes(bytes: number, sizeOf: SizeOf): readonly (readonly [string, string])[] {
  const shapes = eachShape(Math.floor(bytes / Object.keys(WORST).length), sizeOf);
  return [['all shapes', shapes.map(([, text]) => text).join('')]];
}

/** Milliseconds of processor time that some work takes in this process: no turn of the event loop within it takes more. */
async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const begun = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
}

/**
 * Fails if a text takes a longer turn than letters of the same size, as far as the limit says. Turns are only measured
 * where all of them together take more than the limit allows for one: to look at each turn keeps a processor busy.
 */
async function expectTurnsAsShort(
  what: string,
  letters: string,
  worst: readonly (readonly [string, string])[],
  send: (text: string) => Promise<unknown>,
): Promise<void> {
  let ofLetters: number | undefined;
  for (const [name, text] of worst) {
    if ((await processorTime(() => send(text))) <= FLOOR_MS) continue;
    ofLetters ??= await longestTurn(() => send(letters));
    const limit = FLOOR_MS + FACTOR * ofLetters;
    let best = Infinity;
    for (let attempt = 0; attempt < TRIES && best > limit; attempt++) {
      best = Math.min(best, await longestTurn(() => send(text)));
    }
    if (best > limit) {
      const turns = `a turn of ${Math.round(best)} ms, letters one of ${Math.round(ofLetters)} ms`;
      throw new Error(`${what}: ${text.length} characters (${name}) take ${turns}`);
    }
  }
}

async function send({ method, security }: Operation, path: string, raw?: string): Promise<void> {
  const caller = security.includes('agent_api_key') ? belongings.agent.runtime : person.api;
  const api = security.length === 0 ? service.api : caller;
  let { status } = await api.request(method, path, { raw });
  // on a busy machine a request may wait too long for a connection, which is no matter of its text
  for (let again = 0; status === 503 && again < BUSY_TRIES; again++) {
    ({ status } = await api.request(method, path, { raw }));
  }
  if (status >= 500 || status === 429) throw new Error(`${method} ${path.slice(0, 100)} answered ${status}`);
}

function pathOf({ path }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => belongings.ids[name] ?? name);
}

/** The places of a schema that take a text, each with a way to make a value that has one there, and its own schema. */
function* textPlaces(
  given: Schema,
): Generator<[place: string, withText: (text: string) => unknown, own: Schema]> {
  const schema = api.resolve(given);
  for (const part of [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) {
    yield* textPlaces(part);
  }
  const types = [schema.type ?? []].flat();
  if (types.includes('string')) yield ['', (text) => text, schema];
  if (types.includes('array')) {
    for (const [place, withText, own] of textPlaces(schema.items ?? {})) {
      yield [`[]${place}`, (text) => [withText(text)], own];
    }
  }
  if (!types.includes('object')) return;
  if (!schema.properties) yield ['{}', (text) => ({ [text]: 1, text }), schema];
  const example = api.example(schema) as object;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    for (const [place, withText, own] of textPlaces(property)) {
      yield [`.${name}${place}`, (text) => ({ ...example, [name]: withText(text) }), own];
    }
  }
}

const inJson = (text: string) => Buffer.byteLength(JSON.stringify(text)) - '""'.length;
const inQuery = (text: string) => encodeURIComponent(text).length;

/** Each kind of text in the bodies. */
function* bodyTexts(): Generator<[what: string, send: (text: string) => Promise<void>]> {
  const seen = new Set<string>();
  for (const operation of api.operations) {
    for (const [place, withText, own] of operation.body ? textPlaces(operation.body) : []) {
      const kind = kindOf(operation, place, own);
      if (seen.has(kind)) continue;
      seen.add(kind);
      yield [
        `${operation.id}${place}`,
        (text) => send(operation, pathOf(operation), JSON.stringify(withText(text))),
      ];
    }
  }
}

/**
 * A text with a format is judged by the rule of that format alone, which all operations share; a free text is used by
 * each in its way.
 */
function kindOf({ id }: Operation, name: string, schema: Schema): string {
  const { type, format, pattern, enum: words } = api.resolve(schema);
  const takesText = [type].flat().some((one) => one === 'string' || one === 'object');
  const isFree = takesText && !format && !pattern && !words;
  return isFree ? `${id} ${name}` : `${name} ${JSON.stringify(schema)}`;
}

describe('The longest turn of the event loop for the worst texts is like that for letters', () => {
  it('in each text of each body', async () => {
    const sizes = [
      [textOf(LETTERS, SMALL_BODY_BYTES, inJson), eachShape(SMALL_BODY_BYTES, inJson)],
      [textOf(LETTERS, LARGEST_BODY_BYTES, inJson), allShapes(LARGEST_BODY_BYTES, inJson)],
    ] as const;
    let texts = 0;
    for (const [what, sendText] of bodyTexts()) {
      for (const [letters, worst] of sizes) await expectTurnsAsShort(what, letters, worst, sendText);
      texts++;
    }
    expect(texts).toBeGreaterThan(50);
  });

  it('in each parameter of each query', async () => {
    const letters = textOf(LETTERS, QUERY_BYTES, inQuery);
    const worst = eachShape(QUERY_BYTES, inQuery);
    const seen = new Set<string>();
    for (const operation of api.operations) {
      for (const { name, in: where, schema } of operation.parameters) {
        if (where !== 'query') continue;
        const kind = kindOf(operation, name, schema);
        if (seen.has(kind)) continue;
        seen.add(kind);
        await expectTurnsAsShort(`${operation.id}, ${name}`, letters, worst, (text) =>
          send(operation, `${pathOf(operation)}?${name}=${encodeURIComponent(text)}`),
        );
      }
    }
    expect(seen.size).toBeGreaterThan(50);
  });
});

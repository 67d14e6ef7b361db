import { jest } from '@jest/globals';
import { BELONGINGS_SETTINGS } from './builders/belongings.js';
import { FILLED, type FilledLists, fillLists } from './builders/filled-lists.js';
import type { ApiReply } from './harness/api-client.js';
import { expectError } from './harness/error-shape.js';
import { ApiDescription, type Operation } from './harness/openapi.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/** Up to a thousand requests in a test, one after the other: a busy machine takes a tenth of a second for one. */
jest.setTimeout(120_000);

let service: TestApp;
let filled: FilledLists;
let lists: readonly Operation[];

beforeAll(async () => {
  service = await startTestApp({ settings: BELONGINGS_SETTINGS });
  const { operations } = ApiDescription.committed();
  lists = operations.filter(
    // The parts of a report have no total: it is in the report.
    ({ id, method, parameters }) =>
      method === 'GET' && id !== 'getUsage' && parameters.some(({ name }) => name === 'skip'),
  );
  filled = await fillLists(service);
});

afterAll(() => service.close());

/** Runs a check for every list in the document, because Jest needs its cases before there is a document. */
async function eachList(check: (path: string, list: Operation, at: number) => Promise<void>): Promise<void> {
  for (const [at, list] of lists.entries()) {
    const path = filled.pathOf[list.id];
    if (path === undefined) throw new Error(`builders/filled-lists.ts does not fill ${list.id}`);
    try {
      await check(path, list, at);
    } catch (error) {
      (error as Error).message = `${list.id}: ${(error as Error).message}`;
      throw error;
    }
  }
}

/** One value of three, beginning with another one for each list: one rule judges all lists, and some lists try each value. */
const inTurn = <T>(values: readonly T[], at: number) => values.filter((_, index) => (index + at) % 3 === 0);

/** Most lists are plain arrays; a history is inside an object. */
function idsOf({ status, body }: ApiReply<any>): string[] {
  expect(status).toBe(200);
  // A config version has a number instead of an id, and a member that of the account.
  type Item = { id?: string; user_id?: string; config_version?: number };
  return (Array.isArray(body) ? body : body.items).map(
    ({ id, user_id, config_version }: Item) => id ?? user_id ?? String(config_version),
  );
}

function limitOf(list: Operation) {
  return list.parameters.find(({ name }) => name === 'limit')!.schema;
}

function nextOf(reply: ApiReply<any>): string | null {
  const link = reply.headers.get('link');
  if (link === null) return null;
  const [, next] = /^<(\/[^>]+)>; rel="next"$/.exec(link) ?? [];
  expect(next).toBeDefined();
  return next!;
}

/** @returns the messages of a refusal, in alphabetical order */
async function refusals(path: string): Promise<string[]> {
  const reply = await filled.operator.api.get(path);
  expectError(reply, 422);
  return [...reply.body.message].sort();
}

describe('Every list', () => {
  it('declares skip, include_total and limit with their bounds', () => {
    expect(lists.length).toBeGreaterThanOrEqual(13);
    for (const list of lists) {
      const schemas = Object.fromEntries(list.parameters.map(({ name, schema }) => [name, schema]));
      expect(schemas.skip).toMatchObject({ type: 'integer', minimum: 0, default: 0 });
      expect(schemas.include_total).toMatchObject({ type: 'boolean', default: false });
      const { type, minimum, maximum, default: usual } = limitOf(list);
      expect([type, minimum]).toEqual(['integer', 1]);
      const isOfResources =
        /^list(Users|Projects|ProjectMembers|Sessions|ApiKeys|Agents|Deployments|Webhooks|Leads)$/.test(
          list.id,
        );
      if (isOfResources) expect([usual, maximum]).toEqual([50, 100]);
      expect([
        [50, 100],
        [100, 500],
      ]).toContainEqual([usual, maximum]);
    }
  });

  it('is tested here, except the events and the spans, which are read on from a position', () => {
    const { operations } = ApiDescription.committed();
    const called = operations
      .filter(({ id }) => id.startsWith('list') && !['listEvents', 'listSpans'].includes(id))
      .map(({ id }) => id);
    expect(lists.map(({ id }) => id).sort()).toEqual(called.sort());
  });

  it('returns its default number of items, or at most `limit`', async () => {
    await eachList(async (path, list) => {
      const { default: usual, maximum } = limitOf(list);
      expect(idsOf(await filled.operator.api.get(path))).toHaveLength(Number(usual));
      expect(idsOf(await filled.operator.api.get(`${path}?limit=&skip=&include_total=`))).toHaveLength(
        Number(usual),
      );
      expect(idsOf(await filled.operator.api.get(`${path}?limit=1`))).toHaveLength(1);
      expect(idsOf(await filled.operator.api.get(`${path}?limit=${maximum}`))).toHaveLength(
        Math.min(FILLED, maximum!),
      );
    });
  });

  it('refuses a value out of bounds and a value that is no integer', async () => {
    const skips = ['-1', '-9007199254740993', '2147483648', '1e9', '1.5', 'abc', '%00', '1;DROP'];
    const totals = ['1', 'yes', 'TRUE', '%00'];
    await eachList(async (path, list, at) => {
      const { maximum } = limitOf(list);
      const limits = [
        '0',
        '-1',
        `${maximum! + 1}`,
        '1e9',
        '99999999999999999999',
        '1.5',
        '1e1',
        '0x10',
        'abc',
        '+5',
        '%205',
        '5%20',
        'NaN',
        'Infinity',
        'null',
        'true',
        '5,5',
        '٣',
      ];
      for (const [index, limit] of inTurn(limits, at).entries()) {
        const skip = skips[(index + at) % skips.length];
        const total = totals[(index + at) % totals.length];
        expect(await refusals(`${path}?limit=${limit}&skip=${skip}&include_total=${total}`)).toEqual([
          expect.stringMatching(/^include_total must/),
          `limit must be a whole number from 1 to ${maximum}`,
          'skip must be a whole number from 0 to 2147483647',
        ]);
      }
      const twice = 'limit=5&limit=5&skip=5&skip=5&include_total=true&include_total=true';
      expect(await refusals(`${path}?${twice}`)).toEqual([
        expect.stringMatching(/^include_total must/),
        expect.stringMatching(/^limit must/),
        expect.stringMatching(/^skip must/),
      ]);
    });
  });

  it('returns each item exactly once, newest first, when its Links are followed', async () => {
    await eachList(async (path, list) => {
      const whole = [];
      for (let skip = 0; skip < FILLED; skip += limitOf(list).maximum!) {
        whole.push(
          ...idsOf(await filled.operator.api.get(`${path}?limit=${limitOf(list).maximum}&skip=${skip}`)),
        );
      }
      const walked: string[] = [];
      let pages = 0;
      for (let next: string | null = `${path}?limit=37`; next !== null; pages++) {
        expect(pages).toBeLessThan(10);
        const reply = await filled.operator.api.get(next);
        walked.push(...idsOf(reply));
        next = nextOf(reply);
      }
      expect(walked).toEqual(whole);
      expect([walked.length, new Set(walked).size, pages]).toEqual([FILLED, FILLED, 4]);
    });
  });

  it('leaves nothing out when the last item of a page is asked to be passed, and refuses that together with skip', async () => {
    await eachList(async (path, list) => {
      expect(list.parameters.map(({ name }) => name)).toContain('before');
      const first = await filled.operator.api.get(`${path}?limit=7&skip=3`);
      const next = nextOf(first)!;
      const query = new URL(next, 'http://x').searchParams;
      expect([query.get('skip'), query.get('before')]).toEqual([null, idsOf(first).at(-1)]);
      const by = (start: string) => filled.operator.api.get(`${path}?limit=7&${start}`);
      expect(idsOf(await filled.operator.api.get(next))).toEqual(idsOf(await by('skip=10')));
      const counted = await by(`before=${query.get('before')}&include_total=true`);
      expect(counted.headers.get('x-total-count')).toBe(`${FILLED}`);
      expect(await refusals(`${path}?skip=1&before=${query.get('before')}`)).toEqual([
        'before must not be given together with skip',
      ]);
    });
  });

  it('has no Link after a full last page and beyond the end', async () => {
    await eachList(async (path) => {
      expect(nextOf(await filled.operator.api.get(`${path}?limit=20&skip=${FILLED - 21}`))).not.toBeNull();
      expect(nextOf(await filled.operator.api.get(`${path}?limit=20&skip=${FILLED - 20}`))).toBeNull();
      const beyond = await filled.operator.api.get(`${path}?skip=2147483647&include_total=true`);
      expect([idsOf(beyond), nextOf(beyond), beyond.headers.get('x-total-count')]).toEqual([
        [],
        null,
        `${FILLED}`,
      ]);
    });
  });

  it("counts only the caller's items", async () => {
    await eachList(async (path) => {
      for (const query of ['', '?include_total=false', '?include_total=']) {
        expect((await filled.operator.api.get(path + query)).headers.has('x-total-count')).toBe(false);
      }
      const counted = await filled.operator.api.get(`${path}?include_total=true&limit=5`);
      expect(counted.headers.get('x-total-count')).toBe(`${FILLED}`);
      expect(nextOf(counted)).toContain('include_total=true');
    });
  });

  it('keeps its filters in the Link to the next page', async () => {
    const reply = await filled.operator.api.get(
      `${filled.pathOf.listDeployments}?status=killed&limit=2&skip=&status=`,
    );
    const next = new URL(nextOf(reply)!, 'http://x').searchParams;
    expect([next.get('status'), next.get('limit'), next.get('skip')]).toEqual(['killed', '2', null]);
    expect(next.get('before')).toBe(idsOf(reply).at(-1));
  });
});

describe('A filter', () => {
  it('is ignored when it is empty', async () => {
    await eachList(async (path, list) => {
      const filters = list.parameters
        .filter((parameter) => parameter.in === 'query')
        .map(({ name }) => `${name}=`);
      const reply = await filled.operator.api.get(`${path}?${filters.join('&')}`);
      expect(idsOf(reply)).toHaveLength(Number(limitOf(list).default));
    });
  });

  it('returns 200 or 422 when it is repeated or malformed, never 500', async () => {
    const odd = ['%00', '%ed%a0%80', '%ff', 'x'.repeat(5_000), "'%20OR%201=1--", '[]', '%2B1'];
    await eachList(async (path, list, at) => {
      const filters = list.parameters.filter((parameter) => parameter.in === 'query');
      const names = filters.map(({ name }) => name);
      for (const value of inTurn(odd, at)) {
        for (const { name, schema } of filters) {
          const once = await filled.operator.api.get(`${path}?${name}=${value}`);
          expect([200, 422]).toContain(once.status);
          const isFree = schema.type === 'string' && !schema.enum && !schema.format;
          if (!isFree || once.status !== 200) expectError(once, 422);
        }
        // a request with all of them is too long if a value is
        for (const together of value.length > 100 ? names.map((name) => [name]) : [names]) {
          const twice = together.map((name) => `${name}=${value}&${name}=x`).join('&');
          const sentences = (await refusals(`${path}?${twice}`)).join('; ');
          expect(together.filter((name) => !new RegExp(`\\b${name}\\b`).test(sentences))).toEqual([]);
        }
      }
      const ofOthers = names.map((name) => `${name}[]=x&${name}[a]=x&${name}.a=x`).join('&');
      expect((await filled.operator.api.get(`${path}?${ofOthers}`)).status).toBe(422);
    });
  });

  it.each(
    ['__proto__=a', '__proto__=a&__proto__=b', '=', '&&&', '%', 'a'.repeat(9_000)].map((query) => [
      query.slice(0, 40),
      query,
    ]),
  )('is ignored when it has no name or no value: %s', async (_, query) => {
    expect((await filled.operator.api.get(`/agents?${query}&limit=1`)).status).toBe(200);
  });

  it.each(
    [
      'constructor=a&constructor=b',
      'toString=1',
      'hasOwnProperty=1&hasOwnProperty=2',
      '=5',
      '%=%',
      `${'a'.repeat(9_000)}=1`,
      Array(2_000).fill('a=1').join('&'),
      Array.from({ length: 900 }, (_, at) => `a${at}=1`).join('&'),
    ].map((query) => [query.slice(0, 40), query]),
  )('is refused when it is unknown: %s', async (_, query) => {
    const { status, body } = await filled.operator.api.get(`/agents?${query}&limit=1`);
    expect([status, body.errors[0].code]).toEqual([422, 'unknown_parameter']);
  });
});

import { type PageQuery, readPages } from './paging.js';

/** A list whose items are numbered from the newest, 1. @param link how the service writes the address of a page */
function listOf(count: number, link = (query: string) => `<http://service/things?${query}>; rel="next"`) {
  const asked: PageQuery[] = [];
  return {
    asked,
    async read({ skip = 0, limit }: PageQuery) {
      asked.push({ skip, limit });
      const data = Array.from({ length: count }, (_, at) => ({ id: String(at + 1) })).slice(
        skip,
        skip + limit,
      );
      const hasNext = skip + limit < count;
      const headers: Record<string, string> = hasNext
        ? { link: link(`skip=${skip + limit}&limit=${limit}`) }
        : {};
      return { data, response: new Response(null, { headers }) };
    },
  };
}

describe('Reading a list in pages', () => {
  it.each([
    [{ limit: 5, skip: 0 }, 5, [{ skip: 0, limit: 5 }], true],
    [
      { limit: 12, skip: 3 },
      12,
      [
        { skip: 3, limit: 10 },
        { skip: 13, limit: 2 },
      ],
      true,
    ],
    [
      { limit: Infinity, skip: 0 },
      23,
      [
        { skip: 0, limit: 10 },
        { skip: 10, limit: 10 },
        { skip: 20, limit: 10 },
      ],
      false,
    ],
    [{ limit: Infinity, skip: 30 }, 0, [{ skip: 30, limit: 10 }], false],
    [{ limit: 0, skip: 0 }, 0, [{ skip: 0, limit: 1 }], true],
  ])('%j', async (options, count, requests, hasMore) => {
    const list = listOf(23);
    const listed = await readPages(options, 10, (query) => list.read(query));
    expect(listed.items.map(({ id }) => Number(id))).toEqual(
      Array.from({ length: count }, (_, at) => options.skip + at + 1),
    );
    expect(list.asked).toEqual(requests);
    expect(listed.hasMore).toBe(hasMore);
  });

  it('follows a link that is relative, and gives its parameters in another order', async () => {
    const list = listOf(15, (query) => `</things?x=1&${query.split('&').reverse().join('&')}>; rel=next`);
    const { items } = await readPages({ limit: Infinity, skip: 0 }, 10, (query) => list.read(query));
    expect(items).toHaveLength(15);
  });

  it('continues after the last item when the link says so, so that no item is left out', async () => {
    let present = ['5', '4', '3', '2', '1'];
    const { items } = await readPages(
      { limit: Infinity, skip: 1 },
      2,
      async ({ skip = 0, before, limit }) => {
        const from = before === undefined ? skip : present.filter((id) => id >= before).length;
        const ids = present.slice(from, from + limit);
        const hasNext = from + limit < present.length;
        // An item that was read is deleted before the next page.
        present = present.filter((id) => id !== ids[0]);
        const headers: Record<string, string> = hasNext
          ? { link: `</x?before=${ids.at(-1)}>; rel="next"` }
          : {};
        return { data: ids.map((id) => ({ id })), response: new Response(null, { headers }) };
      },
    );
    expect(items.map(({ id }) => id)).toEqual(['4', '3', '2', '1']);
  });

  it('ends at a link that leads back to the page that it is on', async () => {
    const list = listOf(100, () => '</things?skip=0>; rel=next');
    const { items, hasMore } = await readPages({ limit: Infinity, skip: 0 }, 10, (query) => list.read(query));
    expect([items.length, hasMore]).toEqual([10, false]);
  });

  it('returns an item once that moves to the next page meanwhile', async () => {
    const pages = [
      ['3', '2'],
      ['2', '1'],
    ];
    const { items } = await readPages({ limit: Infinity, skip: 0 }, 2, async ({ skip = 0 }) => {
      const headers: Record<string, string> = skip === 0 ? { link: '</x?skip=2>; rel="next"' } : {};
      const data = pages[skip / 2]!.map((id) => ({ id }));
      return { data, response: new Response(null, { headers }) };
    });
    expect(items.map(({ id }) => id)).toEqual(['3', '2', '1']);
  });
});

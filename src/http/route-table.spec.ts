import { jest } from '@jest/globals';
import { NoHead } from './no-head.js';
import { parametersOf, RouteTable } from './route-table.js';

class Handlers {
  answer() {}

  @NoHead()
  take() {}
}

const { answer, take } = Handlers.prototype;
const ROUTES: [method: string, path: string, handle?: () => void][] = [
  ['GET', '/'],
  ['GET', '/things/:id'],
  ['DELETE', '/things/:thing_id'],
  ['GET', '/things'],
  ['POST', '/things'],
  ['GET', '/things/next', take],
  ['GET', '/things/:id/parts/:part'],
];

let routes: RouteTable;

beforeEach(() => {
  routes = new RouteTable();
  for (const [method, path, handle = answer] of ROUTES) routes.add(method, path, handle);
});

describe('The methods of a path', () => {
  it.each<[string, string[]]>([
    ['/', ['GET', 'HEAD']],
    ['/things', ['GET', 'HEAD', 'POST']],
    ['/things/', ['GET', 'HEAD', 'POST']],
    ['/Things', ['GET', 'HEAD', 'POST']],
    ['/things/7', ['GET', 'HEAD', 'DELETE']],
    ['/things/next', ['GET']],
    ['/things/NEXT/', ['GET']],
    ['/things/7/parts/%ff', ['GET', 'HEAD']],
  ])('are those of all its routes: %s', (path, methods) => {
    expect([...routes.at(path)!.keys()]).toEqual(methods);
  });

  it.each([
    '/thing',
    '/%74hings',
    '/things/7/parts',
    '/things//parts/1',
    '//things',
    '/things//',
    '/things/7/parts/1/2',
  ])('are none where nothing is: %s', (path) => {
    expect(routes.at(path)).toBeUndefined();
  });
});

it('finds a path without parameters by one look-up, and takes no other apart more than once', () => {
  const splits = jest.spyOn(String.prototype, 'split');
  const countOf = (path: string) => {
    const before = splits.mock.calls.length;
    routes.at(path);
    return splits.mock.calls.length - before;
  };
  const counts = ['/', '/things', '/things/next', '/things/7'].map(countOf);
  splits.mockRestore();
  expect(counts).toEqual([0, 0, 0, 1]);
});

describe('A route', () => {
  it('has the parameters of its own template, decoded and in the capitals in which they were sent', () => {
    const path = '/Things/A%2Fb/PARTS/%C3%A9/';
    expect(parametersOf(routes.at(path)!.get('GET')!, path)).toEqual({ id: 'A/b', part: 'é' });
    expect(parametersOf(routes.at('/things/7')!.get('DELETE')!, '/things/7')).toEqual({ thing_id: '7' });
  });

  it('has no parameter that is not percent-encoded correctly', () => {
    const path = '/things/%ff';
    expect(() => parametersOf(routes.at(path)!.get('GET')!, path)).toThrow('Malformed path');
  });

  it('with fixed segments gets its requests although one with a parameter came before it', () => {
    expect(routes.at('/things/next')!.get('GET')!.handle).toBe(take);
  });

  it('is refused when another one has its method and path', () => {
    expect(() => routes.add('GET', '/Things/:name', answer)).toThrow(
      "GET /Things/:name can't be reached: GET /things/:id has its requests",
    );
  });
});

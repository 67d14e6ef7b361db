import type { RequestWay } from '../access/request-origin.js';

/** Ways of the connections that the service makes to itself; nobody else can say one. */
const ways = new WeakMap<object, RequestWay>();

export function noteWay(connection: object, way: RequestWay): void {
  ways.set(connection, way);
}

/** @returns undefined for a connection of another person */
export function wayOf(connection: object): RequestWay | undefined {
  return ways.get(connection);
}

import type { KeyedAgent } from './seed.js';
import { CONNECTIONS, type LoadRequest } from './load.js';

/** The agents of a connection: no agent is on two of them, so that none waits for itself. */
export function agentsOf<Agent>(agents: readonly Agent[], connection: number): readonly Agent[] {
  return agents.filter((_, index) => index % CONNECTIONS === connection % CONNECTIONS);
}

/** The same request of each of a connection's agents in turn, with its key, as the service wants it. */
export function withKeys(agents: readonly KeyedAgent[], request: LoadRequest) {
  return (connection: number) =>
    agentsOf(agents, connection).map(({ key }) => ({
      ...request,
      headers: { authorization: `Bearer ${key}` },
    }));
}

/** The same for a limit server, which believes an id. */
export function withIds(agents: readonly KeyedAgent[], request: LoadRequest) {
  return (connection: number) =>
    agentsOf(agents, connection).map(({ id }) => ({ ...request, headers: { 'x-id': id } }));
}

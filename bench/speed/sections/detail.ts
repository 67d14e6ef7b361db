import { agentsOf } from '../callers.js';
import { underLoad } from '../load.js';
import { atLeast, type Section } from '../section.js';

export const detail: Section = {
  name: 'detail',
  asks: '`GET /agents/{id}` with 10 deployments; `GET /deployments/{id}/events?limit=100` of 10,000',
  async contenders(bench) {
    const { agents, longDeploymentId, userId } = bench.seed;
    const service = await bench.service();
    const person = await bench.login(service);
    const limit = await bench.limit('node-http');
    const headers = { 'x-id': userId };
    return [
      underLoad(bench, 'agent: service', service, (connection) =>
        agentsOf(agents, connection).map(({ id }) => ({
          method: 'GET',
          path: `/agents/${id}`,
          headers: person,
        })),
      ),
      underLoad(bench, 'agent: limit', limit, (connection) =>
        agentsOf(agents, connection).map(({ id }) => ({ method: 'GET', path: `/agent/${id}`, headers })),
      ),
      underLoad(bench, 'events: service', service, () => [
        { method: 'GET', path: `/deployments/${longDeploymentId}/events?limit=100`, headers: person },
      ]),
      underLoad(bench, 'events: limit', limit, () => [
        { method: 'GET', path: `/events/${longDeploymentId}`, headers },
      ]),
    ];
  },
  targets: [atLeast(0.7, 'agent: service', 'agent: limit'), atLeast(0.7, 'events: service', 'events: limit')],
};

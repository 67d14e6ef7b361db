import { underLoad } from '../load.js';
import { atLeast, compared, type Section } from '../section.js';

export const list: Section = {
  name: 'list',
  asks: "`GET /agents?limit=50`, a person's token, 100,000 agents in the table",
  async contenders(bench) {
    const service = await bench.service();
    const person = await bench.login(service);
    const limit = await bench.limit('node-http');
    const headers = { 'x-id': bench.seed.userId };
    return [
      underLoad(bench, 'service', service, () => [
        { method: 'GET', path: '/agents?limit=50', headers: person },
      ]),
      underLoad(bench, 'plain limit', limit, () => [{ method: 'GET', path: '/agents', headers }]),
      underLoad(bench, 'times as text', limit, () => [
        { method: 'GET', path: '/agents-with-texts', headers },
      ]),
      underLoad(bench, 'json_agg limit', limit, () => [{ method: 'GET', path: '/agents-as-json', headers }]),
    ];
  },
  targets: [atLeast(1, 'service', 'plain limit'), atLeast(0.5, 'service', 'json_agg limit')],
  comparisons: [compared('service', 'times as text')],
};

import { underLoad } from '../load.js';
import { atLeast, atMost, type Section } from '../section.js';

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
    ];
  },
  targets: [
    atLeast(0.8, 'service', 'plain limit'),
    atMost(1.1, 'service', 'plain limit', 'databaseMs', "PostgreSQL's time: service / this"),
  ],
};

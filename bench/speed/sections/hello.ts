import { underLoad } from '../load.js';
import { atLeast, type Section } from '../section.js';

const request = () => [{ method: 'GET', path: '/' }] as const;

export const hello: Section = {
  name: 'hello',
  asks: '`GET /`: nothing but the way in and out',
  async contenders(bench) {
    return [
      underLoad(bench, 'service', await bench.service(), request),
      underLoad(bench, 'Express alone', await bench.limit('express'), request),
      underLoad(bench, 'node:http', await bench.limit('node-http'), request),
    ];
  },
  targets: [atLeast(0.6, 'service', 'Express alone')],
};

import { withIds, withKeys } from '../callers.js';
import { type LoadRequest, underLoad } from '../load.js';
import { atLeast, type Section } from '../section.js';

const body = { status: 'running', message: 'all is well' };
const post = (path: string): LoadRequest => ({ method: 'POST', path, body });

export const heartbeat: Section = {
  name: 'heartbeat',
  asks: "`POST /agents/heartbeat`, an agent's key, 500 agents",
  async contenders(bench) {
    const { agents } = bench.seed;
    const limit = await bench.limit('node-http');
    const express = await bench.limit('express');
    const inGroup = withIds(agents, post('/heartbeat-in-group'));
    return [
      underLoad(bench, 'service', await bench.service(), withKeys(agents, post('/agents/heartbeat'))),
      underLoad(bench, 'one statement each', limit, withIds(agents, post('/heartbeat'))),
      underLoad(bench, 'Express, in groups', express, inGroup),
      underLoad(bench, 'node:http, in groups', limit, inGroup),
    ];
  },
  targets: [atLeast(0.9, 'service', 'one statement each'), atLeast(0.6, 'service', 'Express, in groups')],
};

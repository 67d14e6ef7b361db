import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import type { Request, Response } from 'express';
import { measureRequests } from './measure-requests.js';

/** The lines that are logged for one request, of which the query holds a secret. */
function linesOf(oneIn: number, level = 'info'): Record<string, unknown>[] {
  const lines: string[] = [];
  const logger = pino({ level }, { write: (line) => void lines.push(line) });
  const request = {
    method: 'GET',
    path: '/agents/7',
    url: '/agents/7?q=secret',
    route: { path: '/agents/:agent_id' },
  };
  const answered = { req: request, statusCode: 200, getHeader: () => 'r-1' };
  const response = Object.assign(new EventEmitter(), answered) as unknown as Response;
  measureRequests(oneIn, logger)(request as Request, response);
  response.emit('close');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('A request', () => {
  it('is logged without its query when the request log is on', () => {
    const [line, ...others] = linesOf(1);
    expect(line).toMatchObject({
      method: 'GET',
      path: '/agents/7',
      route: '/agents/:agent_id',
      status: 200,
      request_id: 'r-1',
    });
    expect(JSON.stringify(line)).not.toContain('secret');
    expect(others).toEqual([]);
  });

  it('is not logged when the request log is off', () => {
    expect(linesOf(0)).toEqual([]);
  });

  it('is logged at debug when the log has that level, without its query', () => {
    const lines = linesOf(0, 'debug');
    expect(lines).toMatchObject([{ level: 20, path: '/agents/7', status: 200 }]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });
});

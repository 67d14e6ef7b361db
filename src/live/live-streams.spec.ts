import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Response } from 'express';
import { pino } from 'pino';
import type { Settings } from '../config/settings.js';
import { Drain } from '../http/drain.js';
import { LivePollers } from './live-pollers.js';
import { LiveStreams } from './live-streams.js';

const nothing = { items: [], end: '0', hasMore: false };

it('A stream leaves no subscription behind when its caller disconnects during its opening', async () => {
  const settings = { STREAMS_PER_USER: 1, STREAM_HEARTBEAT_SECONDS: 1, STREAM_STALL_SECONDS: 1 } as Settings;
  const streams = new LiveStreams(new Drain(), settings, pino({ level: 'silent' }));
  const pollers = new LivePollers<number>(
    () => ({
      latest: () => Promise.resolve('0'),
      read: () => Promise.resolve(nothing),
      assertThere: () => Promise.resolve(),
    }),
    (error) => {
      throw error;
    },
  );
  const reader = await pollers.follow('it', null);
  const request = Object.assign(new IncomingMessage(new Socket()), {
    principal: { kind: 'user', userId: 'ada', memberships: [] },
    recheck: () => Promise.resolve(),
  });
  const response = Object.assign(new ServerResponse(request), { req: request }) as unknown as Response;
  await streams.answer(response, async () => {
    response.destroy();
    await new Promise((resolve) => response.once('close', resolve));
    return { reader, projects: () => [], toData: () => ({}) };
  });
  expect(response.headersSent).toBe(false);
  expect(await reader.next()).toBeUndefined();
});

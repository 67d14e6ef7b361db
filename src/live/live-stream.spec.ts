import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Response } from 'express';
import { LiveStream } from './live-stream.js';

it('A stream whose reader has gone before it was opened subscribes to nothing', async () => {
  const response = new ServerResponse(new IncomingMessage(new Socket())) as unknown as Response;
  response.destroy();
  await new Promise((resolve) => response.once('close', resolve));
  let subscriptions = 0;
  const stream = new LiveStream(
    response,
    {
      subscribe() {
        subscriptions++;
        return Promise.resolve(() => undefined);
      },
      toData: () => ({}),
    },
    {
      heartbeatMs: 1_000,
      stallMs: 1_000,
      isAllowed: () => Promise.resolve(true),
      onFailure: () => undefined,
    },
  );
  await stream.open();
  expect(subscriptions).toBe(0);
});

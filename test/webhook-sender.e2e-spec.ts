import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { NameResolver } from '../src/webhooks/name-resolver.js';
import { SenderClosedError, WebhookSender } from '../src/webhooks/webhook-sender.js';
import { WebhookTargets } from '../src/webhooks/webhook-targets.js';
import { until } from './harness/until.js';
import { WebhookReceiver } from './harness/webhook-receiver.js';

/** Each connection takes the next of these answers; the last one stays. */
let answers: string[][];
let resolved: string[];
let receiver: WebhookReceiver;
let sender: WebhookSender | undefined;

/** Longer than a busy machine needs for an attempt that is not about time. */
const PATIENT_SECONDS = 60;

async function setSender(allowPrivate: boolean, timeoutSeconds: number): Promise<void> {
  await sender?.close();
  const names = {
    resolve: async (name: string) => {
      resolved.push(name);
      return answers.length > 1 ? answers.shift()! : answers[0]!;
    },
  };
  const noProxy = { HTTP_PROXY: '', HTTPS_PROXY: '', NO_PROXY: '' };
  const settings = {
    ...noProxy,
    WEBHOOK_ALLOW_PRIVATE_TARGETS: allowPrivate,
    WEBHOOK_TIMEOUT_SECONDS: timeoutSeconds,
  };
  sender = new WebhookSender(new WebhookTargets(names as NameResolver, settings), settings);
}

beforeEach(async () => {
  answers = [['127.0.0.1']];
  resolved = [];
  receiver = await WebhookReceiver.start();
  await setSender(true, PATIENT_SECONDS);
});

afterEach(async () => {
  await sender?.close();
  await receiver.close();
});

const send = (url: string) =>
  sender!.send({ url, headers: { 'webhook-id': '1' }, contentType: 'application/json', body: '{}' });

/** Sends to a server that speaks as the test demands. */
async function sendTo(speak: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    speak(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    return await send(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.close();
    // The endpoint reads nothing, so it never sees that the sender has gone.
    sockets.forEach((socket) => socket.destroy());
  }
}

describe('The webhook sender', () => {
  it('connects to the checked address with the requested host name', async () => {
    const result = await send(`http://hooks.example.com:${receiver.port}/hook?a=b`);
    expect(result).toMatchObject({ succeeded: true, statusCode: 200 });
    expect(resolved).toEqual(['hooks.example.com']);
    const [message] = receiver.received;
    expect(message!.path).toBe('/hook?a=b');
    expect(message!.headers.host).toBe(`hooks.example.com:${receiver.port}`);
  });

  it('resolves a name once for each connection, so that it can not change after the check', async () => {
    await setSender(false, PATIENT_SECONDS);
    answers = [['93.184.216.34', '127.0.0.1'], ['127.0.0.1'], ['93.184.216.34']];
    for (const asked of [1, 2]) {
      const result = await send(`http://hooks.example.com:${receiver.port}/hook`);
      expect(result).toMatchObject({ succeeded: false, errorMessage: 'The target is not a public address' });
      expect(resolved).toHaveLength(asked);
    }
    expect(receiver.received).toEqual([]);
  });

  it('ignores the proxy settings of the environment', async () => {
    process.env.HTTP_PROXY = process.env.http_proxy = 'http://127.0.0.1:9';
    try {
      expect(await send(receiver.url)).toMatchObject({ succeeded: true });
    } finally {
      delete process.env.HTTP_PROXY;
      delete process.env.http_proxy;
    }
  });

  it('ends an attempt at its timeout', async () => {
    await setSender(true, 1);
    receiver.hang();
    expect(await send(receiver.url)).toMatchObject({
      succeeded: false,
      statusCode: null,
      errorMessage: 'No response within 1 seconds',
    });
    await until(() => receiver.hangingCount === 0);
  });

  it('ends an attempt at its timeout when the headers come bit by bit', async () => {
    await setSender(true, 1);
    const result = await sendTo((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x: y\r\n'), 100);
      socket.once('close', () => clearInterval(drip));
    });
    expect(result).toMatchObject({ succeeded: false, errorMessage: 'No response within 1 seconds' });
  });

  it('succeeds by the status when the body never ends', async () => {
    // The status has to come in that time.
    await setSender(true, 3);
    const result = await sendTo((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n');
    });
    expect(result).toMatchObject({ succeeded: true, statusCode: 200, responseBody: 'hello' });
  });

  it('stops reading an endless body', async () => {
    let sent = 0;
    const result = await sendTo((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const flood = setInterval(() => {
        sent += 10_000;
        socket.write('z'.repeat(10_000));
      }, 1);
      socket.once('close', () => clearInterval(flood));
    });
    expect(result).toMatchObject({ succeeded: true, responseBody: 'z'.repeat(2_048) });
    expect(sent).toBeLessThan(5_000_000);
  });

  it.each<[what: string, speak: (socket: Socket) => void, message: string | RegExp]>([
    [
      'headers without end',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`),
      "The response's headers are too large",
    ],
    [
      'something that is not HTTP',
      (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
      'The response is not HTTP',
    ],
    ['nothing', (socket) => socket.end(), 'The connection was closed before a response arrived'],
    [
      'a reset',
      (socket) => socket.resetAndDestroy(),
      /^The connection was (reset|closed before a response arrived)$/,
    ],
  ])('fails when the reply is %s', async (_, speak, message) => {
    const result = await sendTo(speak);
    expect(result).toMatchObject({ succeeded: false, statusCode: null, responseBody: null });
    expect(result.errorMessage).toMatch(message);
  });

  it('fails when the endpoint speaks no TLS', async () => {
    const result = await send(`https://127.0.0.1:${receiver.port}/`);
    expect(result.errorMessage).toMatch(/^The TLS handshake failed/);
  });

  it('follows no redirect', async () => {
    receiver.answer(302, { headers: { location: receiver.url } });
    expect(await send(receiver.url)).toMatchObject({ succeeded: false, statusCode: 302 });
    expect(receiver.received).toHaveLength(1);
  });

  it('aborts attempts in progress when it is closed', async () => {
    receiver.hang();
    const attempt = send(receiver.url);
    const refusal = expect(attempt).rejects.toThrow(SenderClosedError);
    await until(() => receiver.hangingCount === 1);
    await sender!.close();
    await refusal;
    await expect(send(receiver.url)).rejects.toThrow(SenderClosedError);
  });
});

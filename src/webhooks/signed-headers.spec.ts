import { createHmac } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { payloadsOf } from './message-body.js';
import { signedHeaders } from './signed-headers.js';
import { generateSecret } from './signing-secret.js';

const ID = '0192f0c5-4f10-7a92-8c3d-2b7e9f0a1d44';
const test = { webhook_id: ID, message: 'Grüße, 世界 ✓' };
const body = payloadsOf('webhook.test', test, '', new Date()).standard;
const secret = generateSecret();
const other = generateSecret();

describe('Signed headers', () => {
  it('contain the HMAC of the Standard Webhooks specification', () => {
    const at = new Date('2026-01-31T09:30:00.999Z');
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const hmac = createHmac('sha256', key).update(`${ID}.1769851800.${body}`).digest('base64');
    expect(signedHeaders(ID, body, [secret], at)).toEqual({
      'webhook-id': ID,
      'webhook-timestamp': '1769851800',
      'webhook-signature': `v1,${hmac}`,
    });
  });

  it.each([
    ['standardwebhooks', (key: string) => new StandardWebhook(key)],
    ['svix', (key: string) => new SvixWebhook(key)],
  ])('are accepted by %s only when unchanged and with the right secret', (_, verifier) => {
    const headers = signedHeaders(ID, body, [secret], new Date());
    expect(verifier(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => verifier(other).verify(body, headers)).toThrow();
    expect(() => verifier(secret).verify(`${body} `, headers)).toThrow();
    expect(() => verifier(secret).verify(body, { ...headers, 'webhook-id': 'another' })).toThrow();
    const old = signedHeaders(ID, body, [secret], new Date(Date.now() - 3_600_000));
    expect(() => verifier(secret).verify(body, old)).toThrow();
  });

  it('contain a signature for each secret during a rotation', () => {
    const headers = signedHeaders(ID, body, [other, secret], new Date());
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const known of [secret, other])
      expect(new StandardWebhook(known).verify(body, headers)).toBeTruthy();
  });
});

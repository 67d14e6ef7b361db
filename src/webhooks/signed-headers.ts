import { Webhook } from 'standardwebhooks';

/**
 * The headers by which a receiver verifies a message: https://github.com/standard-webhooks/standard-webhooks. During
 * the rotation of a secret there is a signature for each secret, and a receiver that has either accepts the message.
 *
 * @param id the same in every attempt: receivers recognise repetitions by it
 * @param secrets the current one first
 */
export function signedHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  at: Date,
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}

import { Webhook } from 'standardwebhooks';

/**
 * The headers by which a receiver knows a message: https://github.com/standard-webhooks/standard-webhooks. During the
 * rotation of a secret there is a signature for each one, and a receiver that knows either accepts the message.
 *
 * @param id the same in every attempt: receivers drop by it what they have seen
 * @param secrets the one in use first
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

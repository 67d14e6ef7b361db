import type { Operation } from '../http/openapi/operation.js';

/** Descriptions of successes, by status, for operations that give none of their own. */
const MEANINGS: Readonly<Record<string, string>> = {
  200: 'The request succeeded.',
  201: 'The resource was created.',
  204: 'The request succeeded; the reply has no body.',
};

/** Gives each success of an operation a description, which OpenAPI requires. */
export function describeSuccesses({ responses }: Operation): void {
  for (const [status, response] of Object.entries(responses as Record<string, { description?: string }>)) {
    if (status.startsWith('2')) response.description ||= MEANINGS[status]!;
  }
}

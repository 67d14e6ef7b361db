import compression from 'compression';
import type { RequestHandler } from 'express';

/** Below this, compressing costs more than it saves; bytes. */
const THRESHOLD_BYTES = 4 * 1024;

/**
 * Compresses what is read and is JSON: long lists. Never a stream, whose events would wait for more of them, and never
 * the answer to a change, which may hold a secret beside what was sent.
 */
export function compressedReplies(): RequestHandler {
  return compression({
    threshold: THRESHOLD_BYTES,
    filter: (request, response) =>
      request.method === 'GET' && /^application\/json\b/i.test(String(response.getHeader('Content-Type'))),
  });
}

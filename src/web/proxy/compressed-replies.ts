import compression from 'compression';
import type { RequestHandler } from 'express';

/** Smallest reply that is worth compressing; bytes. */
const THRESHOLD_BYTES = 4 * 1024;

/**
 * Compresses long JSON replies to GET. Streams are not compressed, because events would wait in the buffer. Replies to
 * changes are not, because compressing a secret together with text of the request can reveal it.
 */
export function compressedReplies(): RequestHandler {
  return compression({
    threshold: THRESHOLD_BYTES,
    filter: (request, response) =>
      request.method === 'GET' && /^application\/json\b/i.test(String(response.getHeader('Content-Type'))),
  });
}

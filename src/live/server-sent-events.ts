/** The text format of `text/event-stream`: https://html.spec.whatwg.org/multipage/server-sent-events.html */

/** Why a stream ends; told in its last event. */
export const END_REASONS = ['shutdown', 'removed', 'credential'] as const;
export type EndReason = (typeof END_REASONS)[number];

/** @param id without line breaks */
export function dataEvent(id: string, data: object): string {
  return `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * No event: it tells where to resume, which may be further than the last event when some were filtered out.
 *
 * @param retryMs how long the client should wait before it connects again
 */
export function opening(id: string, retryMs: number): string {
  return `retry: ${retryMs}\nid: ${id}\n\n`;
}

/** Keeps proxies from taking the connection for dead. */
export function heartbeat(id: string): string {
  return `: heartbeat\nid: ${id}\n\n`;
}

export function endEvent(reason: EndReason): string {
  return `event: end\ndata: ${JSON.stringify({ reason })}\n\n`;
}

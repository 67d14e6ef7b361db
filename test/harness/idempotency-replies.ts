import type { ApiReply } from './api-client.js';

/** What the second use of a key is refused with. */
export const KEY_USED = 'Idempotency-Key was already used for another request';

/** `true` where the reply is one of before, else null. */
export const replayed = (reply: ApiReply<any>) => reply.headers.get('idempotency-replayed');

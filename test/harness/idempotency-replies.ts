import type { ApiReply } from './api-client.js';

/** Message of the refusal of a key's use for another request. */
export const KEY_USED = 'Idempotency-Key was already used for another request';

/** `true` if the reply is that of an earlier request, else null. */
export const replayed = (reply: ApiReply<any>) => reply.headers.get('idempotency-replayed');

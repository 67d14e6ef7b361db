import { ServiceError, UnreachableError } from '@agent-control-plane/client';
import { readServerSentEvents } from '@agent-control-plane/client/internal/server-sent-events';
import { type Message, messageIn } from './message.js';

interface Reply {
  /** On one line, as the service has written it. */
  readonly text: string;
  readonly message: Message;
}

/**
 * The messages of a reply to a request: one as JSON, or those of a stream.
 *
 * @throws ServiceError for a refusal in the words of the API; UnreachableError for an answer that is not the service's
 */
export async function* messagesOf(response: Response, address: string): AsyncGenerator<Reply> {
  const type = response.headers.get('content-type') ?? '';
  if (response.ok && type.startsWith('text/event-stream') && response.body !== null) {
    for await (const { data } of readServerSentEvents(response.body)) {
      // The first event of a stream may be empty: it carries the position alone.
      if (data) yield replyIn(data, address);
    }
    return;
  }
  const text = await response.clone().text();
  const message = messageIn(text);
  const isRefusal = !response.ok && (message === undefined || message === 'none');
  if (isRefusal) throw await ServiceError.from(response);
  yield replyIn(text, address);
}

function replyIn(text: string, address: string): Reply {
  const message = messageIn(text);
  if (message === undefined || message === 'none')
    throw new UnreachableError(address, new Error('something else answers there'));
  // JSON has line breaks between its parts alone: in texts they are escapes.
  return { text: text.replaceAll(/[\r\n]+/g, ' '), message };
}

import { Fragment } from 'react';
import { TimeAgo } from './time-ago.js';

/** A time, or the end of an id. */
const SPECIAL = /(\d{4}-\d{2}-\d{2}T[\d:.]+Z|…[0-9a-f]{8})/;

/**
 * A message of the service: its ISO times are replaced by relative times, and a short id is never broken across lines.
 */
export function TextWithTimes({ text }: { readonly text: string }) {
  return text
    .split(SPECIAL)
    .map((part, index) => (
      <Fragment key={index}>{index % 2 === 1 ? <Special part={part} /> : part}</Fragment>
    ));
}

function Special({ part }: { readonly part: string }) {
  return part.startsWith('…') ? <span className="nowrap">{part}</span> : <TimeAgo at={part} />;
}

import { Fragment } from 'react';
import { TimeAgo } from './time-ago.js';

const TIME_OR_ID = /(\d{4}-\d{2}-\d{2}T[\d:.]+Z|…[\da-f]{8})/;

/** A message of the service: its ISO times are relative, and no line ends between the ellipsis of an id and its digits. */
export function TextWithTimes({ text }: { readonly text: string }) {
  return text.split(TIME_OR_ID).map((part, index) => {
    if (index % 2 === 0) return <Fragment key={index}>{part}</Fragment>;
    if (!part.startsWith('…')) return <TimeAgo key={index} at={part} />;
    return (
      <span key={index} className="nowrap">
        {part}
      </span>
    );
  });
}

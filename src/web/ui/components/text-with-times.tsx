import { Fragment } from 'react';
import { TimeAgo } from './time-ago.js';

const ISO_TIME = /(\d{4}-\d{2}-\d{2}T[\d:.]+Z)/;

/** What the service says, with the times in it as people tell them. */
export function TextWithTimes({ text }: { readonly text: string }) {
  return text
    .split(ISO_TIME)
    .map((part, index) => <Fragment key={index}>{index % 2 === 1 ? <TimeAgo at={part} /> : part}</Fragment>);
}

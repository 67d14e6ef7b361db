import { Fragment } from 'react';
import { TimeAgo } from './time-ago.js';

const ISO_TIME = /(\d{4}-\d{2}-\d{2}T[\d:.]+Z)/;

/** A message of the service, with its ISO times shown as relative times. */
export function TextWithTimes({ text }: { readonly text: string }) {
  return text
    .split(ISO_TIME)
    .map((part, index) => <Fragment key={index}>{index % 2 === 1 ? <TimeAgo at={part} /> : part}</Fragment>);
}

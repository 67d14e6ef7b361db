import { Text } from '@mantine/core';
import { TimeAgo } from './time-ago.js';

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T/;
const TIME_OR_SHORT_ID = /(\d{4}-\d{2}-\d{2}T[\d:.]+Z|…[\da-f]{8})/;

/** A message of the service. Its ISO times are shown as relative times; its shortened ids stay on one line. */
export function TextWithTimes({ text }: { readonly text: string }) {
  return text.split(TIME_OR_SHORT_ID).map((part, index) => {
    if (index % 2 === 0) return part;
    if (ISO_TIME.test(part)) return <TimeAgo key={index} at={part} />;
    return (
      <Text key={index} span inherit style={{ whiteSpace: 'nowrap' }}>
        {part}
      </Text>
    );
  });
}

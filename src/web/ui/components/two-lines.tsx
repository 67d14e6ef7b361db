import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface TwoLinesProps {
  /** The whole text, which is the title. */
  readonly text: string;
  /** Content that may be cut; absent: the text. */
  readonly children?: ReactNode;
}

/** Two lines of a text at most, one in a table of one-line rows; its title is the whole. */
export function TwoLines({ text, children = text }: TwoLinesProps) {
  return (
    <Text size="sm" lineClamp={2} title={text}>
      {children}
    </Text>
  );
}

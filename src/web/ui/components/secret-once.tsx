import { Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { CodeBlock } from './code-block.js';
import { Notice } from './notice.js';

export interface SecretOnceProps {
  readonly secret: string;
  /** Name of the secret: `agent key`, `signing secret`. */
  readonly what: string;
  /** Tells the user where to store it. */
  readonly children?: ReactNode;
}

/** A secret that the service shows only once. */
export function SecretOnce({ secret, what, children }: SecretOnceProps) {
  return (
    <Notice tone="warn" icon={IconKey} title={`Copy the ${what} now`} role="status">
      <Text size="sm">It is shown this once and can’t be shown again. {children}</Text>
      <CodeBlock code={secret} what={what} />
    </Notice>
  );
}

import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { showFailure } from './announce.js';
import { copyText } from './clipboard.js';

const SAID_MS = 1_800;

export interface CopyButtonProps {
  readonly value: string;
  /** Name of the copied value, for screen readers: `agent id`. */
  readonly what: string;
  /** The button has a text next to its icon. */
  readonly isWide?: boolean;
}

export function CopyButton({ value, what, isWide = false }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    if (await copyText(value)) setCopied(true);
    else showFailure('Not copied', new Error('The browser does not allow it: select the text and copy it.'));
  };
  const label = isCopied ? 'Copied' : `Copy ${what}`;
  const icon = isCopied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />;
  return (
    <>
      {isWide ? (
        <Button variant="default" leftSection={icon} onClick={() => void copy()}>
          {label}
        </Button>
      ) : (
        <Tooltip label={label}>
          <ActionIcon variant="subtle" color="gray" aria-label={`Copy ${what}`} onClick={() => void copy()}>
            {icon}
          </ActionIcon>
        </Tooltip>
      )}
      <span role="status" className="visually-hidden">
        {isCopied ? `The ${what} is copied` : ''}
      </span>
    </>
  );
}

import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorNotice } from './error-notice.js';

export interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Names the thing: `Delete invoice-reader?` */
  readonly title: string;
  /** What will happen, and what can't be undone. */
  readonly children: ReactNode;
  /** What the button does: `Delete agent`. */
  readonly confirmLabel: string;
  readonly onConfirm: () => void;
  readonly isBusy?: boolean;
  /** Shown inside: the dialog stays open when it did not work. */
  readonly error?: Error | null;
  readonly isDestructive?: boolean;
}

/** Asks before something that can't be undone. The way back has the focus. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, onClose, title, children, confirmLabel, onConfirm } = props;
  const { isBusy = false, error = null, isDestructive = true } = props;
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Stack>
        <div>{children}</div>
        {error && <ErrorNotice error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color={isDestructive ? 'red.9' : undefined} loading={isBusy} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

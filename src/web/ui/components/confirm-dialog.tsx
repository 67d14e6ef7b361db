import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorNotice } from './error-notice.js';

export interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Question with the name: `Delete invoice-reader?` */
  readonly title: string;
  /** The effects, and which of them can't be undone. */
  readonly children: ReactNode;
  /** Label of the button: `Delete agent`. */
  readonly confirmLabel: string;
  /** Label of the other button; absent: `Cancel`. */
  readonly cancelLabel?: string;
  readonly onConfirm: () => void;
  readonly isBusy?: boolean;
  /** True: something is yet to be chosen. */
  readonly isDisabled?: boolean;
  /** Failure of the action; the dialog shows it and stays open. */
  readonly error?: Error | null;
  readonly isDestructive?: boolean;
}

/** Asks for confirmation of an action that can't be undone. Cancel has the focus. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { isOpen, onClose, title, children, confirmLabel, cancelLabel = 'Cancel', onConfirm } = props;
  const { isBusy = false, isDisabled = false, error = null, isDestructive = true } = props;
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Stack>
        <div>{children}</div>
        {error && <ErrorNotice error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {cancelLabel}
          </Button>
          <Button
            color={isDestructive ? 'red.9' : undefined}
            loading={isBusy}
            disabled={isDisabled}
            onClick={onConfirm}
          >
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

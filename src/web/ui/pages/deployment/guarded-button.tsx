import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import { useId } from 'react';

export interface GuardedButtonProps extends Pick<
  ButtonProps,
  'color' | 'variant' | 'leftSection' | 'loading'
> {
  readonly children: string;
  /** Why it can't be pressed now; null: it can. */
  readonly refusal: string | null;
  readonly onClick: () => void;
}

/**
 * A button that says why it can't be pressed. It stays reachable by keyboard, as nothing `disabled` is, and the same
 * element in both cases: a dialog that it opened gives the focus back to it.
 */
export function GuardedButton({ children, refusal, onClick, ...look }: GuardedButtonProps) {
  const reasonId = useId();
  const isRefused = refusal !== null;
  return (
    <Tooltip
      label={refusal}
      disabled={!isRefused}
      multiline
      maw={280}
      events={{ hover: true, focus: true, touch: true }}
    >
      <Button
        {...look}
        data-disabled={isRefused || undefined}
        aria-disabled={isRefused || undefined}
        aria-describedby={isRefused ? reasonId : undefined}
        onClick={isRefused ? undefined : onClick}
      >
        {children}
        {isRefused && (
          <span id={reasonId} className="visually-hidden">
            {refusal}
          </span>
        )}
      </Button>
    </Tooltip>
  );
}

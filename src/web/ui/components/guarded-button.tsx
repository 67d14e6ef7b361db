import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import { useId } from 'react';

export interface GuardedButtonProps extends Pick<
  ButtonProps,
  'color' | 'variant' | 'leftSection' | 'loading' | 'size'
> {
  readonly children: string;
  /** Reason why the button can't be pressed now; null: it can. */
  readonly refusal: string | null;
  readonly onClick: () => void;
}

/**
 * A button with a reason why it can't be pressed. Unlike a `disabled` button it can be reached by keyboard. It is the
 * same element in both cases, so that a dialog can return the focus to it.
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
      // inside the landmark of the button
      withinPortal={false}
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

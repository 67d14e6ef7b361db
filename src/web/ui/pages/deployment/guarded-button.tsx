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

/** A button that says why it can't be pressed. It stays reachable by keyboard, as nothing `disabled` is. */
export function GuardedButton({ children, refusal, onClick, ...look }: GuardedButtonProps) {
  const reasonId = useId();
  if (refusal === null) {
    return (
      <Button {...look} onClick={onClick}>
        {children}
      </Button>
    );
  }
  return (
    <Tooltip label={refusal} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      <Button
        {...look}
        data-disabled
        aria-disabled
        aria-describedby={reasonId}
        onClick={(event) => event.preventDefault()}
      >
        {children}
        <span id={reasonId} className="visually-hidden">
          {refusal}
        </span>
      </Button>
    </Tooltip>
  );
}

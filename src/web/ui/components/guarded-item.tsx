import { Menu, type MenuItemProps, Text } from '@mantine/core';

export interface GuardedItemProps extends Pick<MenuItemProps, 'color' | 'leftSection'> {
  readonly children: string;
  /** Reason why it can't be chosen now; null: it can. */
  readonly refusal: string | null;
  readonly onClick: () => void;
}

/** An item of a menu with a reason why it can't be chosen. Unlike a `disabled` one it can be reached by keyboard. */
export function GuardedItem({ children, refusal, onClick, color, ...look }: GuardedItemProps) {
  const isRefused = refusal !== null;
  return (
    <Menu.Item
      {...look}
      color={isRefused ? 'dimmed' : color}
      aria-disabled={isRefused || undefined}
      closeMenuOnClick={!isRefused}
      onClick={isRefused ? undefined : onClick}
    >
      {children}
      {isRefused && (
        <Text span display="block" size="xs">
          {refusal}
        </Text>
      )}
    </Menu.Item>
  );
}

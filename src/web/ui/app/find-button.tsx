import { ActionIcon, Button, Text } from '@mantine/core';
import { useOs } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';

const LABEL = 'Find anything';

/** The search is a large part of its own: the first page comes without it. */
const openSearch = async () => (await import('./spotlight.js')).openSearch();

/** Opens the search that Ctrl-K opens too. */
export function FindButton({ isCompact = false }: { readonly isCompact?: boolean }) {
  const keys = useOs() === 'macos' ? '⌘ K' : 'Ctrl K';
  if (isCompact) {
    return (
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={LABEL}
        onClick={() => void openSearch()}
      >
        <IconSearch size={20} aria-hidden />
      </ActionIcon>
    );
  }
  return (
    <Button
      variant="default"
      fullWidth
      flex="none"
      justify="space-between"
      fw={400}
      onClick={() => void openSearch()}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        <Text span size="xs" c="dimmed">
          {keys}
        </Text>
      }
      styles={{ label: { flex: 1 } }}
    >
      {LABEL}
    </Button>
  );
}

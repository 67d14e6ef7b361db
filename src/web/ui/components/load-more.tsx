import { Button, Group } from '@mantine/core';
import type { LoadedList } from '../api/lists.js';

export interface LoadMoreProps {
  readonly list: Pick<LoadedList<unknown>, 'hasMore' | 'isLoadingMore' | 'loadMore'>;
  readonly label?: string;
}

export function LoadMore({ list, label = 'Show more' }: LoadMoreProps) {
  if (!list.hasMore) return null;
  return (
    <Group justify="center" mt="md">
      <Button variant="default" loading={list.isLoadingMore} onClick={list.loadMore}>
        {label}
      </Button>
    </Group>
  );
}

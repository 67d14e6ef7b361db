import { Button, Group, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { type BulkAction, BulkDialog, type BulkItem } from './bulk-dialog.js';

export interface SelectionBarProps {
  readonly selected: readonly BulkItem[];
  readonly actions: readonly BulkAction[];
  readonly onClear: () => void;
}

/** The actions on all selected rows; nothing while none is selected. */
export function SelectionBar({ selected, actions, onClear }: SelectionBarProps) {
  const [action, setAction] = useState<BulkAction | null>(null);
  if (selected.length === 0) return null;
  return (
    <Paper withBorder p="xs" mb="sm" role="region" aria-label="Selection">
      <Group gap="sm">
        <Text size="sm" fw={600}>
          {selected.length} selected
        </Text>
        {actions.map((each) => (
          <Button key={each.label} size="xs" variant="default" onClick={() => setAction(each)}>
            {each.label}
          </Button>
        ))}
        <Button size="xs" variant="subtle" onClick={onClear}>
          Clear
        </Button>
      </Group>
      <BulkDialog
        action={action}
        items={selected}
        onClose={(isDone) => {
          setAction(null);
          if (isDone) onClear();
        }}
      />
    </Paper>
  );
}

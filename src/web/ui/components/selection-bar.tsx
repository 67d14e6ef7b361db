import { Button, Group, Paper, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMatchingCount } from '../api/matching.js';
import { type BulkAction, BulkDialog, type BulkItem } from './bulk-dialog.js';
import { counted } from './counted.js';
import { GuardedButton } from './guarded-button.js';
import { useRefusals } from './required-role.js';
import type { Selection } from './selection.js';

export interface SelectionBarProps {
  /** Name of one row: `agent`. */
  readonly noun: string;
  readonly selection: Omit<Selection<never>, 'column'>;
  readonly actions: readonly BulkAction[];
}

/**
 * The actions on all selected rows; hidden while none is selected. The dialog keeps its items, because rows leave a
 * filtered list during the action. So the bar stays mounted when the list is empty.
 */
export function SelectionBar({ noun, selection, actions }: SelectionBarProps) {
  const { selected, selectAll, clear } = selection;
  const matching = selected.length > 0 ? selection.matching : null;
  const count = useMatchingCount(matching);
  const everything = useMutation({ mutationFn: selection.selectMatching });
  const client = useQueryClient();
  const refusalIn = useRefusals();
  /** The reason why the action is not allowed for one of the selected rows, with its name. */
  const refusalOf = (action: BulkAction) => {
    for (const { name, projectId } of selected) {
      const refusal = refusalIn(projectId, action.scope, action);
      if (refusal !== null) return `${refusal} in the project of ${name}`;
    }
    return null;
  };
  const [asked, setAsked] = useState<{ action: BulkAction; items: readonly BulkItem[] } | null>(null);
  const close = (isDone: boolean) => {
    setAsked(null);
    if (!isDone) return;
    clear();
    void client.invalidateQueries();
  };
  return (
    <>
      {selected.length > 0 && (
        <Paper withBorder bg="var(--surface)" p="xs" mb="sm" role="region" aria-label="Selection">
          <Group gap="sm">
            <Text size="sm" fw={600}>
              {selected.length.toLocaleString('en')} selected
            </Text>
            {actions.map((action) => (
              <GuardedButton
                key={action.label}
                size="xs"
                variant="default"
                refusal={refusalOf(action)}
                onClick={() => setAsked({ action, items: selected })}
              >
                {action.label}
              </GuardedButton>
            ))}
            {selectAll && (
              <Button size="xs" variant="subtle" onClick={selectAll}>
                Select all loaded
              </Button>
            )}
            {matching && count !== undefined && (
              <Button
                size="xs"
                variant="subtle"
                loading={everything.isPending}
                onClick={() => everything.mutate()}
              >
                {`Select all ${counted(count, noun)} that match`}
              </Button>
            )}
            <Button size="xs" variant="subtle" onClick={clear}>
              Clear
            </Button>
            {everything.error && (
              <Text size="sm" c="var(--mantine-color-error)" role="alert">
                {everything.error.message}
              </Text>
            )}
          </Group>
        </Paper>
      )}
      <BulkDialog noun={noun} action={asked?.action ?? null} items={asked?.items ?? []} onClose={close} />
    </>
  );
}

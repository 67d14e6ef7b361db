import { Button, Group, Modal, ScrollArea, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { counted } from './counted.js';
import type { Scope } from './required-role.js';
import { StatusBadge } from './status-badge.js';
import classes from './bulk-dialog.module.css';

/** Maximum number of concurrent requests: more would only wait for each other in the service. */
const AT_ONCE = 4;

export interface BulkItem {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
}

export interface BulkAction {
  /** Label of the button: `Stop`. */
  readonly label: string;
  /** The effects on each item. */
  readonly description: string;
  /** What the user's role in the project of each item must allow. */
  readonly scope: Scope;
  /** True: operators may do it in every project. */
  readonly isForOperators?: boolean;
  readonly run: (id: string) => Promise<unknown>;
}

export interface BulkDialogProps {
  /** Name of one item: `agent`. */
  readonly noun: string;
  /** Null: the dialog is closed. */
  readonly action: BulkAction | null;
  readonly items: readonly BulkItem[];
  /** @param isDone true if any item was changed */
  readonly onClose: (isDone: boolean) => void;
}

/** The text of each outcome by id; an empty one is a success. */
type Outcomes = ReadonlyMap<string, string>;

/** Asks for confirmation, then applies the action to each of the items, and shows each outcome. */
export function BulkDialog({ noun, action, items, onClose }: BulkDialogProps) {
  const [outcomes, setOutcomes] = useState<Outcomes | null>(null);
  const isRunning = outcomes !== null && outcomes.size < items.length;
  const subject = counted(items.length, noun);
  const failed = outcomes === null ? 0 : [...outcomes.values()].filter((text) => text !== '').length;
  const close = () => {
    onClose(outcomes !== null);
    setOutcomes(null);
  };
  const start = async ({ run }: BulkAction) => {
    setOutcomes(new Map());
    const left = [...items];
    const work = async () => {
      for (let item = left.shift(); item; item = left.shift()) {
        const { id } = item;
        const outcome = await run(id).then(
          () => '',
          (error: unknown) => (error instanceof Error ? error.message : String(error)),
        );
        setOutcomes((before) => new Map(before).set(id, outcome));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };
  return (
    <Modal
      opened={action !== null}
      onClose={close}
      withCloseButton={!isRunning}
      closeOnClickOutside={!isRunning}
      closeOnEscape={!isRunning}
      title={action && `${action.label} ${subject}?`}
    >
      <Stack>
        <div>
          <Text size="sm">{action?.description}</Text>
          <Text size="sm" role="status">
            {outcomes !== null &&
              `${outcomes.size - failed} of ${items.length} done${failed > 0 ? `, ${failed} refused` : ''}`}
          </Text>
        </div>
        <ScrollArea.Autosize mah="50dvh" tabIndex={0} aria-label="Outcomes">
          <ul className={classes.items}>
            {items.map(({ id, name }) => (
              <li key={id}>
                <span className={classes.name}>{name}</span>
                <Outcome text={outcomes?.get(id)} isStarted={outcomes !== null} />
              </li>
            ))}
          </ul>
        </ScrollArea.Autosize>
        <Group justify="flex-end">
          <Button variant="default" onClick={close} disabled={isRunning} data-autofocus>
            {outcomes === null ? 'Cancel' : 'Close'}
          </Button>
          {outcomes === null && action && (
            <Button onClick={() => void start(action)}>{`${action.label} ${subject}`}</Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

function Outcome({ text, isStarted }: { readonly text: string | undefined; readonly isStarted: boolean }) {
  if (text === undefined) return isStarted ? <StatusBadge status="pending" label="waiting" /> : null;
  if (text === '') return <StatusBadge status="succeeded" label="done" />;
  return <span className={classes.problem}>{text}</span>;
}

import { Button, Group, Modal, ScrollArea, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { type BulkOutcome, doneOutcome, progressText, refusedOutcome } from './bulk-outcomes.js';
import { counted } from './counted.js';
import type { Scope } from './required-role.js';
import { StatusBadge } from './status-badge.js';
import classes from './bulk-dialog.module.css';

/** Maximum number of items that are listed, those with a problem first. */
const LISTED = 100;
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
  /** The right that the user's role in the project of each item must include. */
  readonly scope: Scope;
  /** True: operators may do it in every project. */
  readonly isForOperators?: boolean;
  /** True: it ends what runs, so its button is red. */
  readonly isDestructive?: boolean;
  /**
   * Applies it to an item. It may resolve to a text about the result, where that is not the same for all:
   * `started`.
   */
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

/** The outcomes by the ids of their items. */
type Outcomes = ReadonlyMap<string, BulkOutcome>;

/** Asks for confirmation, then applies the action to each of the items, and shows each outcome. */
export function BulkDialog({ noun, action, items, onClose }: BulkDialogProps) {
  const { outcomes, isRunning, start, leaveRest, reset } = useBulk(items);
  const subject = counted(items.length, noun);
  const close = () => {
    onClose(outcomes !== null);
    reset();
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
            {outcomes !== null && progressText([...outcomes.values()], items.length)}
          </Text>
        </div>
        <Items items={items} outcomes={outcomes} isRunning={isRunning} />
        <Group justify="flex-end">
          {isRunning && items.length > LISTED && (
            <Button variant="default" onClick={leaveRest}>
              Skip the rest
            </Button>
          )}
          <Button variant="default" onClick={close} disabled={isRunning} data-autofocus>
            {outcomes === null ? 'Cancel' : 'Close'}
          </Button>
          {outcomes === null && action && (
            <Button color={action.isDestructive ? 'red.9' : undefined} onClick={() => void start(action)}>
              {`${action.label} ${subject}`}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

/** Applies an action to items, a few at once. */
function useBulk(items: readonly BulkItem[]) {
  const [outcomes, setOutcomes] = useState<Outcomes | null>(null);
  const [isRunning, setRunning] = useState(false);
  const left = useRef<BulkItem[]>([]);
  const start = async ({ run }: BulkAction) => {
    setOutcomes(new Map());
    setRunning(true);
    left.current = [...items];
    const work = async () => {
      for (let item = left.current.shift(); item; item = left.current.shift()) {
        const { id } = item;
        const outcome = await run(id).then(doneOutcome, refusedOutcome);
        setOutcomes((before) => new Map(before).set(id, outcome));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    setRunning(false);
  };
  const leaveRest = () => {
    left.current = [];
  };
  return { outcomes, isRunning, start, leaveRest, reset: () => setOutcomes(null) };
}

interface ItemsProps {
  readonly items: readonly BulkItem[];
  readonly outcomes: Outcomes | null;
  readonly isRunning: boolean;
}

/** The items with their outcomes; of many, those that were refused come first, and not all are listed. */
function Items({ items, outcomes, isRunning }: ItemsProps) {
  const isRefused = ({ id }: BulkItem) => outcomes?.get(id)?.isRefused === true;
  const ordered =
    items.length > LISTED ? [...items.filter(isRefused), ...items.filter((item) => !isRefused(item))] : items;
  return (
    <ScrollArea.Autosize mah="50dvh" viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': 'Outcomes' }}>
      <ul className={classes.items}>
        {ordered.slice(0, LISTED).map(({ id, name }) => (
          <li key={id}>
            <span className={classes.name}>{name}</span>
            <Outcome of={outcomes?.get(id)} isStarted={isRunning} />
          </li>
        ))}
        {ordered.length > LISTED && <li>{`and ${(ordered.length - LISTED).toLocaleString('en')} more`}</li>}
      </ul>
    </ScrollArea.Autosize>
  );
}

function Outcome({ of, isStarted }: { readonly of: BulkOutcome | undefined; readonly isStarted: boolean }) {
  if (of === undefined) return isStarted ? <StatusBadge status="pending" label="waiting" /> : null;
  if (!of.isRefused) return <StatusBadge status="succeeded" label={of.text} />;
  return <span className={classes.problem}>{of.text}</span>;
}

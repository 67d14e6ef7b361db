import { Checkbox, Modal, Stack } from '@mantine/core';
import { useOs } from '@mantine/hooks';
import { useKeyChoice } from '../components/key-choice.js';
import classes from './keys-dialog.module.css';
import { useDestinations } from './navigation.js';

interface Key {
  /** Each stands on a key of its own. */
  readonly keys: readonly string[];
  readonly does: string;
}

interface KeyGroup {
  readonly title: string;
  readonly keys: readonly Key[];
}

const groupsWith = (modifier: string, pages: readonly Key[]): readonly KeyGroup[] => [
  {
    title: 'Every page',
    keys: [
      { keys: [modifier, 'K'], does: 'Find an agent, a deployment, a page or an action' },
      { keys: ['/'], does: 'Focus the search of this page' },
      { keys: ['?'], does: 'Show keyboard shortcuts' },
      { keys: ['Esc'], does: 'Close a dialog or a menu' },
    ],
  },
  { title: 'Go to a page', keys: pages },
  {
    title: 'In the search that Ctrl K opens',
    keys: [
      { keys: ['↑', '↓'], does: 'Choose a result; the first is chosen already' },
      { keys: ['Enter'], does: 'Open it' },
      { keys: ['stop name'], does: 'Stop an agent (it asks first); also deploy, pause, resume' },
    ],
  },
  {
    title: 'Approvals',
    keys: [
      { keys: ['J', 'K'], does: 'Next question, previous question' },
      { keys: ['A', 'A'], does: 'Approve' },
      { keys: ['R', 'R'], does: 'Reject' },
    ],
  },
  {
    title: 'Spans of a run',
    keys: [
      { keys: ['↑', '↓'], does: 'Previous span, next span' },
      { keys: ['←', '→'], does: 'Fold, unfold' },
      { keys: ['Enter'], does: 'Show its details' },
    ],
  },
];

/** All keys of the dashboard, and the switch for those of one character. */
export function KeysDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const [hasKeys, setHasKeys] = useKeyChoice();
  const pages = useDestinations().flatMap(({ label, goKey }) =>
    goKey === undefined ? [] : [{ keys: ['G', goKey.toUpperCase()], does: label }],
  );
  const groups = groupsWith(useOs() === 'macos' ? '⌘' : 'Ctrl', pages);
  return (
    <Modal opened={isOpen} onClose={onClose} title="Keyboard shortcuts" size="lg">
      <Stack>
        <div className={classes.groups}>
          {groups.map(({ title, keys }) => (
            <section key={title}>
              <h3 className={classes.title}>{title}</h3>
              <dl className={classes.keys}>
                {keys.map((key) => (
                  <div key={key.does} className={classes.key}>
                    <dt>
                      {key.keys.map((name, place) => (
                        <kbd key={place}>{name}</kbd>
                      ))}
                    </dt>
                    <dd>{key.does}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
        <Checkbox
          label="Single-key shortcuts"
          description="Turn them off if you use voice input. Ctrl K still works, and finds this list as “Show keyboard shortcuts”."
          checked={hasKeys}
          onChange={(event) => setHasKeys(event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}

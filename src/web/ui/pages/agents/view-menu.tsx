import { ActionIcon, Anchor, Button, Checkbox, Popover, Stack, Text, TextInput } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconTrash } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useUser } from '../../app/require-session.js';
import { useChoosableColumns } from './agent-columns.js';
import { LONGEST_NAME, MAXIMUM_VIEWS, type SavedView, viewsIn, withView } from './saved-views.js';
import { columnsIn, setColumns } from './shown-columns.js';
import classes from './view-menu.module.css';

/** Chooses columns, and keeps what the address has by a name. */
export function ViewMenu() {
  const [isOpened, setOpened] = useState(false);
  return (
    <Popover opened={isOpened} onChange={setOpened} position="bottom-start" trapFocus withinPortal={false}>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
          onClick={() => setOpened(!isOpened)}
        >
          View
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="md" w={240}>
          <Columns />
          <Views onChosen={() => setOpened(false)} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function Columns() {
  const [search, setSearch] = useSearchParams();
  const choices = useChoosableColumns();
  return (
    <Checkbox.Group
      label="Columns"
      value={[...columnsIn(search)]}
      onChange={(wanted) => setSearch((now) => setColumns(now, wanted), { replace: true })}
    >
      <Stack gap={10} mt={8}>
        {choices.map(({ key, header }) => (
          <Checkbox key={key} size="xs" value={key} label={header} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

/** Views by name, which this browser keeps for the person. */
function Views({ onChosen }: { readonly onChosen: () => void }) {
  const key = `agent-views-${useUser().id}`;
  const [search] = useSearchParams();
  const [views, setViews] = useState(() => viewsIn(localStorage.getItem(key)));
  const [name, setName] = useState('');
  const keep = (wanted: readonly SavedView[]) => {
    localStorage.setItem(key, JSON.stringify(wanted));
    setViews(wanted);
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    keep(withView(views, { name: name.trim(), search: search.toString() }));
    setName('');
  };
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500} id="saved-views">
        Saved views
      </Text>
      {views.length > 0 && (
        <ul className={classes.views} aria-labelledby="saved-views">
          {views.map((view) => (
            <li key={view.name}>
              <Anchor component={Link} to={`/agents?${view.search}`} size="sm" onClick={onChosen}>
                {view.name}
              </Anchor>
              <ActionIcon
                size="sm"
                variant="subtle"
                color="gray"
                aria-label={`Remove the view ${view.name}`}
                onClick={() => keep(views.filter((each) => each !== view))}
              >
                <IconTrash size={14} aria-hidden />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
      {views.length < MAXIMUM_VIEWS && (
        <form className={classes.name} onSubmit={save}>
          <TextInput
            size="xs"
            flex={1}
            aria-label="Name of this view"
            placeholder="Name of this view"
            maxLength={LONGEST_NAME}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button size="xs" type="submit" variant="default" disabled={name.trim() === ''}>
            Save
          </Button>
        </form>
      )}
    </Stack>
  );
}

import { Select } from '@mantine/core';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useAgentGroups } from '../../api/agent-groups.js';
import { useHasSharedProjects } from '../../api/projects.js';
import { groupingIn, isByLabel, wordsOf } from './grouping.js';

/** Chooses by what agents are grouped. The keys of labels are read when it is opened. */
export function GroupSelect() {
  const [search, setSearch] = useSearchParams();
  const [isOpened, setOpened] = useState(false);
  const keys = useAgentGroups(isOpened ? 'label' : null).data?.groups ?? [];
  const hasProjects = useHasSharedProjects();
  const by = groupingIn(search);
  const choices = new Set([
    'type',
    ...(hasProjects ? ['project'] : []),
    ...keys.map(({ value }) => `label:${value}`),
    ...(by === null ? [] : [by]),
  ]);
  const choose = (wanted: string | null) =>
    setSearch(
      (now) => {
        if (wanted === null) now.delete('group');
        else now.set('group', wanted);
        // the list can be narrowed to one label only
        if (isByLabel(wanted)) now.delete('label');
        return now;
      },
      { replace: true },
    );
  return (
    <Select
      flex="1 1 125px"
      aria-label="Groups"
      placeholder="No groups"
      clearable
      searchable={choices.size > 8}
      data={[...choices].map((value) => ({ value, label: `By ${wordsOf(value)}` }))}
      value={by}
      onChange={choose}
      onDropdownOpen={() => setOpened(true)}
    />
  );
}

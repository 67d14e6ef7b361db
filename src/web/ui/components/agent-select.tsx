import { MultiSelect, type MultiSelectProps, Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useFoundAgents, useNamedAgents } from '../api/agent-names.js';
import { bestFirst } from './best-first.js';

/** Time after the last key before the service is asked; milliseconds. */
const PAUSE_MS = 250;
/** Longest text that the service searches for. */
const LONGEST = 200;

/** A hint below the listed agents that there are more. It can't be chosen, and no agent has its value. */
const MORE = { value: '', label: 'More agents match: type part of the name', disabled: true };

interface Option {
  readonly value: string;
  readonly label: string;
  readonly disabled?: boolean;
}

/**
 * Options of a select of agents. They are requested while the select is open, after a pause in typing.
 *
 * @param chosen ids
 */
function useAgentOptions(chosen: readonly string[]) {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const sought = text.trim();
  const [wanted] = useDebouncedValue(sought, PAUSE_MS);
  const found = useFoundAgents(wanted, isOpen);
  const named = useNamedAgents(chosen);
  const matching = bestFirst(found.data?.agents ?? [], wanted);
  const offered = new Set(matching.map(({ id }) => id));
  const isAnswered = found.data !== undefined && wanted === sought;
  const data: Option[] = [
    // chosen agents need an option, which has their name
    ...named.filter(({ id }) => !offered.has(id)).map(({ id, name }) => ({ value: id, label: name })),
    ...matching.map(({ id, name }) => ({ value: id, label: name })),
    ...(found.data?.isAll === false ? [MORE] : []),
  ];
  const isShown = ({ value }: Option) => sought === '' || offered.has(value) || value === MORE.value;
  const nothing = sought === '' ? 'No agents yet' : 'No agent matches';
  return {
    named,
    setText,
    props: {
      data,
      searchable: true,
      // The list itself scrolls: a scrolling box within it would have to be focusable.
      withScrollArea: false,
      styles: { options: { maxHeight: 240, overflowY: 'auto' } } as const,
      maxLength: LONGEST,
      // Agents that match an earlier text are hidden until the new ones arrive: the key that chooses could choose
      // another agent.
      filter: () => (isAnswered ? data.filter(isShown) : []),
      nothingFoundMessage: isAnswered ? nothing : found.error ? 'Couldn’t load the agents' : 'Searching…',
      onDropdownOpen: () => setOpen(true),
      onDropdownClose: () => setOpen(false),
    },
  };
}

interface AgentSelectProps extends Omit<SelectProps, 'value' | 'onChange' | 'data'> {
  /** Id of the chosen agent. */
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
}

/** A choice of one agent, which a person finds by typing. */
export function AgentSelect({ value, onChange, ...shown }: AgentSelectProps) {
  const { props, named, setText } = useAgentOptions(value === null ? [] : [value]);
  return (
    <Select
      placeholder="Choose an agent"
      {...shown}
      {...props}
      value={value}
      onChange={onChange}
      // the field contains the name of the chosen agent, which nobody has typed
      onSearchChange={(text) => setText(text === named[0]?.name ? '' : text)}
    />
  );
}

interface AgentMultiSelectProps extends Omit<MultiSelectProps, 'value' | 'onChange' | 'data'> {
  /** Ids of the chosen agents. */
  readonly value: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}

/** A choice of several agents, which a person finds by typing. */
export function AgentMultiSelect({ value, onChange, ...shown }: AgentMultiSelectProps) {
  const { props, setText } = useAgentOptions(value);
  return (
    <MultiSelect
      {...shown}
      {...props}
      value={[...value]}
      onChange={onChange}
      onSearchChange={setText}
      // inside the field's landmark, to which its options belong
      comboboxProps={{ withinPortal: false }}
    />
  );
}

import { MultiSelect, type MultiSelectProps, Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useFoundAgents, useNamedAgents } from '../api/agent-names.js';
import { bestFirst } from './best-first.js';

/** Time after the last key before the service is asked; milliseconds. */
const PAUSE_MS = 250;
/** Longest text that the service searches for. */
const LONGEST = 200;

/** Says, below the agents that are offered, that there are others. It can't be chosen, and no agent has its value. */
const MORE = { value: '', label: 'There are more: type a part of the name', disabled: true };

interface Option {
  readonly value: string;
  readonly label: string;
  readonly disabled?: boolean;
}

/**
 * Options of a select of agents. The service is asked while the select is open, once the person pauses.
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
    // chosen ones need an option, by which they are named
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
      // The list itself scrolls, as a list of options may: a scrolling box within it would have to take the focus.
      withScrollArea: false,
      styles: { options: { maxHeight: 240, overflowY: 'auto' } } as const,
      maxLength: LONGEST,
      // Agents that match an earlier text are not offered meanwhile: a key that chooses could choose what comes in their place.
      filter: () => (isAnswered ? data.filter(isShown) : []),
      nothingFoundMessage: isAnswered ? nothing : found.error ? 'The agents can’t be read' : 'Searching…',
      onDropdownOpen: () => setOpen(true),
      onDropdownClose: () => setOpen(false),
    },
  };
}

interface AgentSelectProps extends Pick<SelectProps, 'label' | 'error'> {
  /** Id of the chosen agent. */
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
}

/** A choice of one agent, which is found by what is typed. */
export function AgentSelect({ value, onChange, ...shown }: AgentSelectProps) {
  const { props, named, setText } = useAgentOptions(value === null ? [] : [value]);
  return (
    <Select
      placeholder="Choose an agent"
      {...shown}
      {...props}
      value={value}
      onChange={onChange}
      // the name of the chosen agent stands in the field, where nobody has typed it
      onSearchChange={(text) => setText(text === named[0]?.name ? '' : text)}
    />
  );
}

interface AgentMultiSelectProps extends Omit<MultiSelectProps, 'value' | 'onChange' | 'data'> {
  /** Ids of the chosen agents. */
  readonly value: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}

/** A choice of several agents, which are found by what is typed. */
export function AgentMultiSelect({ value, onChange, ...shown }: AgentMultiSelectProps) {
  const { props, setText } = useAgentOptions(value);
  return (
    <MultiSelect
      {...shown}
      {...props}
      value={[...value]}
      onChange={onChange}
      onSearchChange={setText}
      // its options belong to the landmark of the field
      comboboxProps={{ withinPortal: false }}
    />
  );
}

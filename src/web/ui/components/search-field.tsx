import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { PAGE_SEARCH } from './page-search.js';

/** Time after the last key before the list is requested; milliseconds. */
const PAUSE_MS = 250;

export interface SearchFieldProps {
  readonly label: string;
  /** The fields that are searched. */
  readonly hint?: string;
  readonly value: string;
  /** Minimum width of a field for one word; pixels. Absent: a wide field with the search icon. */
  readonly width?: number;
  readonly isInvalid?: boolean;
  readonly onChange: (value: string | null) => void;
}

/** A text for which the service searches, after a pause in typing. */
export function SearchField(props: SearchFieldProps) {
  const { label, hint, value, width, isInvalid = false, onChange } = props;
  const [text, setText] = useState(value);
  const asked = useRef(value);
  const change = useDebouncedCallback((wanted: string) => {
    asked.current = wanted.trim();
    onChange(asked.current || null);
  }, PAUSE_MS);
  useEffect(() => {
    // Otherwise the address was changed by other means: a link, or the back button.
    if (value === asked.current) return;
    asked.current = value;
    setText(value);
  }, [value]);
  const set = (wanted: string) => {
    setText(wanted);
    change(wanted);
  };
  return (
    <TextInput
      {...(width === undefined
        ? { flex: '1 1 12rem', maw: 320, leftSection: <IconSearch size={16} aria-hidden />, ...PAGE_SEARCH }
        : { flex: `1 1 ${width}px` })}
      aria-label={label}
      placeholder={label}
      title={hint}
      error={isInvalid}
      rightSection={text && <CloseButton size="sm" aria-label={`Clear: ${label}`} onClick={() => set('')} />}
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

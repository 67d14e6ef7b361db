import { ActionIcon, CloseButton, Group, Select, TextInput, Tooltip } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import {
  IconArrowsMaximize,
  IconArrowsMinimize,
  IconDownload,
  IconPlayerPause,
  IconPlayerPlay,
  IconSearch,
  IconTextWrap,
  IconTextWrapDisabled,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { Level, LogFilter } from './log-filter.js';
import classes from './log-viewer.module.css';
import { PAGE_SEARCH } from './page-search.js';
import { TimePicker } from './time-picker.js';
import { ANY_TIME } from './time-range.js';

const LEVELS: readonly { value: Level; label: string }[] = [
  { value: 'info', label: 'Info and above' },
  { value: 'warning', label: 'Warning and above' },
  { value: 'error', label: 'Error and above' },
  { value: 'critical', label: 'Critical' },
];
const TYPING_MS = 350;

export interface LogView {
  readonly isWrapped: boolean;
  readonly isPaused: boolean;
  readonly isExpanded: boolean;
}

export interface LogToolbarProps {
  readonly filter: LogFilter;
  readonly onFilter: (part: Partial<LogFilter>) => void;
  readonly view: LogView;
  readonly onView: (part: Partial<LogView>) => void;
  readonly onDownload: () => void;
  readonly isDownloading: boolean;
  /** Further filters of the viewer. */
  readonly children?: ReactNode;
}

/** Filters and display options of a log. */
export function LogToolbar(props: LogToolbarProps) {
  const { filter, onFilter, view, onView, onDownload, isDownloading, children } = props;
  return (
    <Group gap="xs" p="xs">
      <Search value={filter.q ?? ''} onChange={(q) => onFilter({ q: q === '' ? null : q })} />
      <Select
        size="xs"
        w={185}
        aria-label="Level"
        placeholder="All levels"
        clearable
        data={LEVELS}
        value={filter.level}
        onChange={(level) => onFilter({ level })}
      />
      <TimePicker
        time={filter}
        onChange={(time) => onFilter({ ...time, at: null })}
        jump={{ at: filter.at, onJump: (at) => onFilter({ ...ANY_TIME, at }) }}
      />
      {children}
      <Group gap={6} ml="auto" wrap="nowrap">
        <Toggle
          label={view.isWrapped ? 'Do not wrap lines' : 'Wrap lines'}
          onClick={() => onView({ isWrapped: !view.isWrapped })}
        >
          {view.isWrapped ? (
            <IconTextWrapDisabled size={16} aria-hidden />
          ) : (
            <IconTextWrap size={16} aria-hidden />
          )}
        </Toggle>
        <Toggle
          label={view.isExpanded ? 'Exit full screen' : 'Full screen'}
          onClick={() => onView({ isExpanded: !view.isExpanded })}
        >
          {view.isExpanded ? (
            <IconArrowsMinimize size={16} aria-hidden />
          ) : (
            <IconArrowsMaximize size={16} aria-hidden />
          )}
        </Toggle>
        <Toggle label="Download matching lines" onClick={onDownload} isBusy={isDownloading}>
          <IconDownload size={16} aria-hidden />
        </Toggle>
        <Toggle
          label={view.isPaused ? 'Resume' : 'Pause'}
          onClick={() => onView({ isPaused: !view.isPaused })}
        >
          {view.isPaused ? (
            <IconPlayerPlay size={16} aria-hidden />
          ) : (
            <IconPlayerPause size={16} aria-hidden />
          )}
        </Toggle>
      </Group>
    </Group>
  );
}

interface ToggleProps {
  readonly label: string;
  readonly onClick: () => void;
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

function Toggle({ label, onClick, isBusy = false, children }: ToggleProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={30} aria-label={label} onClick={onClick} loading={isBusy}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

/** The address changes after a pause in typing. */
function Search({ value, onChange }: { readonly value: string; readonly onChange: (text: string) => void }) {
  const [text, setText] = useState(value);
  const report = useDebouncedCallback((typed: string) => onChange(typed.trim()), TYPING_MS);
  const change = (typed: string) => {
    setText(typed);
    report(typed);
  };
  return (
    <TextInput
      className={classes.search}
      size="xs"
      aria-label="Search log"
      placeholder="Search"
      {...PAGE_SEARCH}
      maxLength={200}
      leftSection={<IconSearch size={15} aria-hidden />}
      rightSection={
        text !== '' && <CloseButton size="xs" aria-label="Clear the search" onClick={() => change('')} />
      }
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

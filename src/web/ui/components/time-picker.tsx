import { Button, Divider, Group, Popover, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconClock } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { isoOf, localText, MomentField } from './moment-field.js';
import { ANY_TIME, RECENT_SPANS, type RecentSpan, type TimeRange } from './time-range.js';

const LABELS: Readonly<Record<RecentSpan, string>> = {
  '15m': 'Last 15 minutes',
  '1h': 'Last hour',
  '6h': 'Last 6 hours',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
};

const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export interface TimePickerProps {
  readonly time: TimeRange;
  readonly onChange: (time: TimeRange) => void;
  /** The time to which a log scrolls, if that is possible. */
  readonly jump?: { readonly at: string | null; readonly onJump: (at: string | null) => void };
  /** Name of the chosen time, in labels: `Created`. */
  readonly subject?: string;
  readonly size?: 'xs' | 'sm';
}

/** Picker of a time range, up to now or between two times; for a log also of a time to scroll to. */
export function TimePicker({ time, onChange, jump, subject, size = 'xs' }: TimePickerProps) {
  const [isOpen, { close, toggle }] = useDisclosure(false);
  const choose = (part: Partial<TimeRange>) => {
    onChange({ ...ANY_TIME, ...part });
    close();
  };
  const label = timeLabel(time, jump?.at ?? null);
  const text = subject === undefined ? label : `${subject}: ${label[0]!.toLowerCase()}${label.slice(1)}`;
  return (
    <Popover
      opened={isOpen}
      onChange={(open) => !open && close()}
      position="bottom-start"
      width={300}
      trapFocus
    >
      <Popover.Target>
        <Button
          size={size}
          variant="default"
          leftSection={<IconClock size={15} aria-hidden />}
          onClick={toggle}
          aria-label={subject === undefined ? `Time: ${label}` : text}
        >
          {text}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Group gap={6}>
            <Button size="compact-xs" variant="default" onClick={() => choose({})}>
              Any time
            </Button>
            {RECENT_SPANS.map((span) => (
              <Button key={span} size="compact-xs" variant="default" onClick={() => choose({ range: span })}>
                {LABELS[span]}
              </Button>
            ))}
          </Group>
          <Divider />
          <RangeForm time={time} onChoose={choose} />
          {jump && (
            <>
              <Divider />
              <JumpForm
                at={jump.at}
                onChoose={(at) => {
                  jump.onJump(at);
                  close();
                }}
              />
            </>
          )}
          <Text size="xs" c="dimmed">
            Times are in {short.resolvedOptions().timeZone}.
          </Text>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

interface RangeFormProps {
  readonly time: TimeRange;
  readonly onChoose: (part: Partial<TimeRange>) => void;
}

function RangeForm({ time, onChoose }: RangeFormProps) {
  const [since, setSince] = useState(localText(time.since));
  const [until, setUntil] = useState(localText(time.until));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChoose({ since: since && isoOf(since), until: until && isoOf(until) });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap={6}>
        <MomentField size="xs" label="From" value={since} onChange={setSince} />
        <MomentField size="xs" label="To" value={until} onChange={setUntil} />
        <Button type="submit" size="xs" variant="light" disabled={since === null && until === null}>
          Show this range
        </Button>
      </Stack>
    </form>
  );
}

interface JumpFormProps {
  readonly at: string | null;
  readonly onChoose: (at: string | null) => void;
}

function JumpForm({ at, onChoose }: JumpFormProps) {
  const [moment, setMoment] = useState(localText(at));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChoose(moment && isoOf(moment));
  };
  return (
    <form onSubmit={submit}>
      <Stack gap={6}>
        <MomentField size="xs" label="Jump to" value={moment} onChange={setMoment} />
        <Button type="submit" size="xs" variant="light" disabled={moment === null}>
          Jump
        </Button>
      </Stack>
    </form>
  );
}

function timeLabel({ range, since, until }: TimeRange, at: string | null): string {
  const text = (time: string) => short.format(new Date(time));
  if (at !== null) return `Around ${text(at)}`;
  if (range !== null) return LABELS[range];
  if (since !== null && until !== null) return `${text(since)} to ${text(until)}`;
  if (since !== null) return `Since ${text(since)}`;
  return until === null ? 'Any time' : `Until ${text(until)}`;
}

import { Select, type SelectProps } from '@mantine/core';

/** Maximum number of zones in the open list: rendering all 400 takes long. */
const MOST_ZONES = 60;
const ZONES: readonly string[] = [
  'UTC',
  ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC'),
];

export interface TimeZoneSelectProps extends Pick<SelectProps, 'description' | 'error' | 'flex'> {
  readonly value: string;
  readonly onChange: (timezone: string) => void;
}

/** A choice of a time zone, which a person finds by typing. */
export function TimeZoneSelect({ value, onChange, ...shown }: TimeZoneSelectProps) {
  const zones = ZONES.includes(value) ? ZONES : [value, ...ZONES];
  return (
    <Select
      label="Time zone"
      {...shown}
      data={[...zones]}
      limit={MOST_ZONES}
      searchable
      allowDeselect={false}
      nothingFoundMessage="No such zone"
      // The list itself scrolls: a scrolling box within it would have to be focusable.
      withScrollArea={false}
      styles={{ options: { maxHeight: 240, overflowY: 'auto' } }}
      value={value}
      onChange={(timezone) => timezone !== null && onChange(timezone)}
    />
  );
}

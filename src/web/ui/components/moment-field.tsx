import '@mantine/dates/styles.layer.css';
import { DateTimePicker, type DateTimePickerProps } from '@mantine/dates';

export interface MomentFieldProps extends Pick<
  DateTimePickerProps,
  'size' | 'description' | 'error' | 'flex'
> {
  readonly label: string;
  /** Time in the viewer's zone: `2026-11-25 19:42:21`; null: none. */
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

/** Field for a time in the viewer's zone. */
export function MomentField({ label, value, onChange, ...shown }: MomentFieldProps) {
  return (
    <DateTimePicker
      {...shown}
      label={label}
      value={value}
      onChange={onChange}
      valueFormat="YYYY-MM-DD HH:mm:ss"
      withSeconds
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      ariaLabels={{
        previousMonth: 'Previous month',
        nextMonth: 'Next month',
        previousYear: 'Previous year',
        nextYear: 'Next year',
        previousDecade: 'Previous decade',
        nextDecade: 'Next decade',
      }}
      timePickerProps={{
        hoursInputLabel: 'Hours',
        minutesInputLabel: 'Minutes',
        secondsInputLabel: 'Seconds',
      }}
      submitButtonProps={{ 'aria-label': 'Use this time' }}
      // the grey of other months' days and the red of weekends can't be read on white
      hideOutsideDates
      weekendDays={[]}
      // a click in a portal would be outside of the picker of the range, and close it; the role would name a label that is not there
      popoverProps={{ withinPortal: false, withRoles: false }}
    />
  );
}

/** The value of a {@link MomentField}, in the viewer's zone. */
export function localText(time: string | null): string | null {
  if (time === null) return null;
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
    .toISOString()
    .slice(0, 19)
    .replace('T', ' ');
}

/** The time of a {@link MomentField} as ISO 8601. */
export const isoOf = (local: string): string => new Date(local.replace(' ', 'T')).toISOString();

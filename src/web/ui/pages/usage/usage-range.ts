import { useAddressFilter } from '../../components/address-filter.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface UsageRange {
  readonly value: string;
  readonly label: string;
  /** The unit of a bar in the chart. */
  readonly unit: 'hour' | 'day';
  /** The beginning; the end is now. */
  readonly since: (now: Date) => Date;
}

const today = (now: Date): number => Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
/** The beginning of today, in UTC. */
export const TODAY = (now: Date): Date => new Date(today(now));
/** Today and the days before it, in UTC. */
const days = (count: number) => (now: Date) => new Date(today(now) - (count - 1) * DAY_MS);

export const RANGES: readonly UsageRange[] = [
  { value: '24h', label: '24 h', unit: 'hour', since: (now) => new Date(now.getTime() - 23 * HOUR_MS) },
  { value: '7d', label: '7 d', unit: 'day', since: days(7) },
  { value: '30d', label: '30 d', unit: 'day', since: days(30) },
  {
    value: 'month',
    label: 'This month',
    unit: 'day',
    since: (now) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)),
  },
  { value: '90d', label: '90 d', unit: 'day', since: days(90) },
  { value: '1y', label: '1 y', unit: 'day', since: days(365) },
];
export const USUAL_RANGE = RANGES[2]!;

/** The range in the address. */
export function useUsageRange(): [range: UsageRange, choose: (value: string) => void] {
  const [search, set] = useAddressFilter();
  const range = RANGES.find(({ value }) => value === search.get('range')) ?? USUAL_RANGE;
  return [range, (value) => set('range', value === USUAL_RANGE.value ? null : value)];
}
